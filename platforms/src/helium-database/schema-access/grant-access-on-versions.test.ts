import { findTestVersions, type TestServer } from '@portal/kit/postgres/test-versions';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type AccessWorld,
  catchFailureIn,
  grantAccessIn,
  planActionsIn,
  startAccessWorld,
} from './access-world.fixture.ts';
import { smallSchema } from './schema-with-everything.fixture.ts';
import { readTransactionOutcome } from './transaction-outcome.ts';

const quoted = pg.escapeIdentifier;

describe.each(findTestVersions())('schema access grant on $name', (version) => {
  let server: TestServer;
  let world: AccessWorld;

  beforeAll(async () => {
    server = await version.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    world = await startAccessWorld(server.url, { schemaSql: smallSchema });
  });
  afterEach(() => world.stop());

  it('changes nothing when another session holds a lock, and names the holder', async () => {
    const actions = await planActionsIn(world);
    const holder = await world.connect(world.app);
    await holder.query(`set application_name = 'a report'; begin; select * from visit`);
    const problem = await catchFailureIn(world, { lockTimeoutMs: 50 });
    await holder.end();
    expect(problem).toMatchObject({ name: 'FailedActions', status: 409, actions });
    expect(String(problem)).toMatch(/The (table|view) .* is locked and was not released in time: locked by app "of"/);
    expect(String(problem)).toContain('(a report, idle in transaction since ');
    expect(String(problem)).toContain('OWNER TO');
  });

  it('rolls back when the record cannot be written, and reports that outcome later', async () => {
    const seen: string[] = [];
    const failure = new Error('the record cannot be written');
    const problem = await catchFailureIn(world, {
      beforeCommit: async ({ xid }) => {
        seen.push(xid, await readTransactionOutcome(world.database, xid));
        throw failure;
      },
    });
    expect(problem).toBe(failure);
    const [aborted = '', outcome] = seen;
    expect(outcome).toBe('in progress');
    expect(await readTransactionOutcome(world.database, aborted)).toBe('aborted');
    let committed = '';
    await grantAccessIn(world, {
      beforeCommit: async ({ xid }) => {
        committed = xid;
      },
    });
    expect(await readTransactionOutcome(world.database, committed)).toBe('committed');
    expect(await readTransactionOutcome(world.database, '18446744073709551000')).toBe('unknown');
    expect(await readTransactionOutcome(world.database, '4611686018427387904')).toBe('unknown');
  });

  it('lists all permissions the portal’s user lacks, with the SQL that grants them', async () => {
    await world.sql(
      `revoke ${quoted(world.team)}, ${quoted(world.app)} from ${quoted(world.portal)};
       do $$ begin execute format('revoke create on database %I from ${quoted(world.portal)}', current_database()); end $$;`,
    );
    const message = String(await catchFailureIn(world));
    const remedies = message.split("The portal's user ").flatMap((sentence) => sentence.split('Run: ')[1] ?? []);
    expect(remedies).toHaveLength(3);
    expect((await planActionsIn(world)).length).toBeGreaterThan(5);
    await world.sql(remedies.join('\n'));
    await grantAccessIn(world);
  });

  it('refuses to grant when the app’s role does not inherit privileges', async () => {
    await world.sql(`alter role ${quoted(world.app)} noinherit`);
    if (version.major < 16) {
      const message = String(await catchFailureIn(world));
      await world.sql(message.match(/ALTER ROLE .+?;/)?.[0] ?? '');
    }
    await grantAccessIn(world);
    await world.sql(`insert into visit (status) values ('Open'); alter table visit add column more int`, world.app);
  });
});
