import { findTestVersions, type TestServer } from '@portal/kit/postgres/test-versions';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AccessWorld, actionsIn, failureIn, grantIn, startAccessWorld } from './access-world.fixture.ts';
import { smallSchema } from './schema-with-everything.fixture.ts';
import { readTransactionOutcome } from './transaction-outcome.ts';

const quoted = pg.escapeIdentifier;

describe.each(findTestVersions())('a grant, on $name', (version) => {
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

  it('is all or nothing when a lock is held elsewhere, and says by whom', async () => {
    const actions = await actionsIn(world);
    const holder = await world.connect(world.app);
    await holder.query(`set application_name = 'a report'; begin; select * from visit`);
    const problem = await failureIn(world, { lockTimeoutMs: 50 });
    await holder.end();
    expect(problem).toMatchObject({ name: 'AccessFailure', status: 409, actions });
    expect(String(problem)).toMatch(/The (table|view) .* is in use, and was not free in time: it is held by app "of"/);
    expect(String(problem)).toContain('(a report, idle in transaction since ');
    expect(String(problem)).toContain('OWNER TO');
  });

  it('is rolled back when the record cannot be written, and told to whoever asks for its number later', async () => {
    const seen: string[] = [];
    const failure = new Error('the record is away');
    const problem = await failureIn(world, {
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
    await grantIn(world, {
      beforeCommit: async ({ xid }) => {
        committed = xid;
      },
    });
    expect(await readTransactionOutcome(world.database, committed)).toBe('committed');
    expect(await readTransactionOutcome(world.database, '18446744073709551000')).toBe('unknown');
  });

  it('says all the portal’s user lacks, with SQL that mends it', async () => {
    await world.sql(
      `revoke ${quoted(world.team)}, ${quoted(world.app)} from ${quoted(world.portal)};
       do $$ begin execute format('revoke create on database %I from ${quoted(world.portal)}', current_database()); end $$;`,
    );
    const message = String(await failureIn(world));
    const remedies = message.split("The portal's user ").flatMap((sentence) => sentence.split('Run: ')[1] ?? []);
    expect(remedies).toHaveLength(3);
    expect((await actionsIn(world)).length).toBeGreaterThan(5);
    await world.sql(remedies.join('\n'));
    await grantIn(world);
  });

  it('lets no app stop working for not inheriting', async () => {
    await world.sql(`alter role ${quoted(world.app)} noinherit`);
    if (version.major < 16) {
      const message = String(await failureIn(world));
      await world.sql(message.match(/ALTER ROLE .+?;/)?.[0] ?? '');
    }
    await grantIn(world);
    await world.sql(`insert into visit (status) values ('Open'); alter table visit add column more int`, world.app);
  });
});
