import { getAudit } from '@portal/contract/audit';
import { examineEnvironment } from '@portal/contract/doctor';
import { saveSyncDashboard } from '@portal/contract/sync/dashboards';
import { prepareManagedDatabase } from '@portal/kit/postgres/managed-database';
import { migrate } from '@portal/kit/postgres/migrate';
import { createPool, withClient } from '@portal/kit/postgres/pool';
import { oldestVersions } from '@portal/kit/postgres/server-version';
import { createTestDatabase, getTestPostgresUrl, type TestDatabase } from '@portal/kit/postgres/test-database';
import { findTestVersions } from '@portal/kit/postgres/test-versions';
import { Secret } from '@portal/kit/secret';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../testing/small-world.ts';
import { startTestServer } from '../testing/test-server.ts';
import { migrationsFolder } from './migrations-folder.ts';

let database: TestDatabase;
let world: SmallWorld;
let databaseUrl: string;
let databaseOwnerUrl: string;

function addressOf(role: string): string {
  const url = new URL(database.url);
  url.username = role;
  url.password = 'x';
  return url.href;
}

const asAdmin = (sql: string) =>
  withClient({ connectionString: getTestPostgresUrl() }, async (client) => void (await client.query(sql)));

beforeAll(async () => {
  database = await createTestDatabase();
  await asAdmin(`create role trail_owner login password 'x'; create role trail_service login password 'x';
    alter database ${database.name} owner to trail_owner`);
  [databaseUrl, databaseOwnerUrl] = [addressOf('trail_service'), addressOf('trail_owner')];
  world = await startSmallWorld({ databaseUrl, databaseOwnerUrl, roles: [{ role: 'admin', users: ['demo'] }] });
});
afterAll(async () => {
  await world.stop();
  await database.drop();
  await asAdmin('drop role trail_owner; drop role trail_service');
});

const asService = async (sql: string) => void (await world.server.dependencies.pool.query(sql));

describe('a service whose role does not own the database', () => {
  it('stores everything, counts refusals and creates the next months', async () => {
    const client = await world.server.signIn('demo', 'demo');
    await client.call(saveSyncDashboard, { name: 'Mine', appIds: [world.helium.app('Clinic Visits').id] });
    const stranger = world.server.client();
    stranger.headers.authorization = `Basic ${Buffer.from('demo:wrong').toString('base64')}`;
    for (let index = 0; index < 2; index++) await stranger.attempt(getAudit, {});
    expect((await client.call(getAudit, { action: 'session.basic' })).entries).toMatchObject([{ attempts: 2 }]);
    await world.server.dependencies.audit.start();
    expect(world.server.logged()).not.toContain('owns the audit trail');
  });

  it.each([
    'update audit_entry set attempts = attempts + 1',
    'delete from audit_entry',
    'truncate audit_entry',
    'alter table audit_entry disable trigger user',
    'drop table audit_entry',
    'delete from audit_entry_other',
    'insert into audit_entry_other (at) values (now())',
    'select from audit_entry_other',
    'alter table audit_entry detach partition audit_entry_other',
    'create or replace function refuse_to_change_audit() returns trigger language plpgsql as $$ begin return new; end $$',
  ])('cannot %s', async (sql) => {
    await expect(asService(sql)).rejects.toThrow(/permission denied|must be owner/);
  });

  it('is examined by the doctor', async () => {
    const client = await world.server.signIn('demo', 'demo');
    const { examinations } = await client.call(examineEnvironment, {});
    expect(examinations.at(-1)).toEqual({
      title: 'Audit trail',
      lines: ['The database lets the portal only add entries.'],
      isGood: true,
    });
  });
});

describe('a service whose role owns the database', () => {
  it('works, but the log and the doctor say that it could change the trail', async () => {
    const roles = [{ role: 'admin' as const, users: ['demo'] }];
    const server = await startTestServer({ environments: [{ name: 'Production', baseUrl: world.baseUrl }], roles });
    await server.dependencies.audit.start();
    expect(server.logged()).toContain('The role of databaseUrl owns the audit trail, so it could change entries.');
    const client = await server.signIn('demo', 'demo');
    const { examinations } = await client.call(examineEnvironment, {});
    expect(examinations.at(-1)?.lines[0]).toContain('Set databaseOwnerUrl');
    await server.stop();
  });
});

describe.each(findTestVersions().filter(({ major }) => major >= oldestVersions.portalDatabase))('$name', (version) => {
  it('counts refusals, and lets the service add entries only', async () => {
    const server = await version.start();
    const urlFor = (name: string, user?: string, password?: string) => {
      const url = new URL(server.url);
      url.pathname = `/${name}`;
      if (user !== undefined) url.username = user;
      if (password !== undefined) url.password = password;
      return url.href;
    };
    const name = 'on_version';
    const { url, ownerUrl } = await prepareManagedDatabase({ url: server.url, urlFor }, name);
    const entry = `(at, username, environment, action, description, outcome)
      select at::timestamptz, 'ann', 'Production', 'config.lock', 'd', 'done'`;
    const run = (address: string, sql: string) =>
      withClient({ connectionString: address }, async (client) => (await client.query<{ id: string }>(sql)).rows);
    await migrate({ databaseUrl: new Secret(url), databaseOwnerUrl: new Secret(ownerUrl) }, migrationsFolder);
    await run(url, `insert into audit_entry ${entry} from unnest(array['2001-02-03', now()::text]) as at`);
    const attempt = JSON.stringify({
      at: new Date(),
      username: 'bob',
      environment: 'Production',
      action: 'a',
      description: 'd',
      outcome: 'refused',
    });
    for (let index = 0; index < 2; index++) await run(url, `select add_audit_attempt('${attempt}')`);
    await run(url, 'select create_audit_months()');
    const entries = await run(url, 'select id::text, username, attempts from audit_entry order by id');
    expect(entries).toEqual([
      { id: '1', username: 'ann', attempts: 1 },
      { id: '2', username: 'ann', attempts: 1 },
      { id: '3', username: 'bob', attempts: 2 },
    ]);
    await expect(run(url, 'delete from audit_entry')).rejects.toThrow('permission denied');
    for (const sql of ['delete from audit_entry', 'truncate audit_entry', 'truncate audit_entry_other'])
      await expect(run(ownerUrl, sql)).rejects.toThrow('only ever added to');

    await run(server.url, `drop database ${name} with (force)`);
    for (const role of [name, `${name}_owner`]) await run(server.url, `drop role ${role}`);
    await server.stop();
  });
});

describe('the months of the audit trail', () => {
  it('are created ahead, and an entry of any other month is stored all the same', async () => {
    const pool = createPool(databaseOwnerUrl, { applicationName: 'test' });
    await pool.query(`insert into audit_entry (at, username, environment, action, description, outcome)
      values (now(), 'months', 'Production', 'a', 'd', 'done'), (now() + interval '2 months', 'months', 'Production', 'a', 'd', 'done'),
        (now() + interval '5 years', 'months', 'Production', 'a', 'd', 'done'), ('2001-02-03', 'months', 'Production', 'a', 'd', 'done')`);
    const { rows } = await pool.query<{ partition: string }>(
      `select tableoid::regclass::text as partition from audit_entry where username = 'months' order by at`,
    );
    await pool.end();
    const month = (ahead: number) => {
      const now = new Date();
      const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead));
      return `audit_entry_${first.toISOString().slice(0, 7).replace('-', '_')}`;
    };
    const other = 'audit_entry_other';
    expect(rows.map(({ partition }) => partition)).toEqual([other, month(0), month(2), other]);
  });
});
