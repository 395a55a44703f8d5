import { randomBytes } from 'node:crypto';
import { withClient } from '@portal/kit/postgres/pool';
import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import { Secret } from '@portal/kit/secret';
import { deriveAppLogin, deriveStateRole } from '@portal/platforms/helium-database/logins/app-login';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HeliumDatabases } from './helium-databases.ts';
import { findStateId } from './operations.store.ts';

const suffix = randomBytes(4).toString('hex');
const [owner, reading, granting] = [`owner_${suffix}`, `reading_${suffix}`, `granting_${suffix}`];
const single = `single_${suffix}`;
const schema = 'shop__app_001';
const otherSchema = 'farm__app_001';
const sequence = `${schema}.__he_sync_change_seq__`;
const [key, otherKey] = [new Secret('3'.repeat(64)), new Secret('4'.repeat(64))];
const app = { schema, stateKey: 'Test/app/1/shop', from: { changeLog: '7', opLog: '8' } };

let database: TestDatabase;
let opened: HeliumDatabases[] = [];

const sql = (text: string, values: unknown[] = []): Promise<pg.QueryResult> =>
  withClient({ connectionString: database.url }, (client) => client.query(text, values));
const toUrl = (user: string) =>
  new Secret(Object.assign(new URL(database.url), { username: user, password: 'secret' }).href);
const roleFor = (secret: Secret, name = schema) => deriveAppLogin(secret, database.url, name).role;

/** Opens the data source as a process of the sync with this key does. */
function open(secret: Secret, url = toUrl(reading), grantUrl: Secret | null = toUrl(granting)) {
  const databases = new HeliumDatabases(
    [{ name: 'test', dataSources: [{ heliumDataSourceName: 'apps', url, grantUrl: grantUrl ?? undefined }] }],
    8,
    { key: secret },
  );
  opened.push(databases);
  return databases.get('test', 'apps');
}

beforeAll(async () => {
  database = await createTestDatabase();
  const name = new URL(database.url).pathname.slice(1);
  await sql(`create role ${owner}; create role ${reading} login password 'secret';
    create role ${granting} login createrole password 'secret';
    grant pg_read_all_stats to ${reading}; grant create on database ${name} to ${granting};
    grant ${owner} to ${granting} with admin true, inherit true, set true;
    create schema ${schema} authorization ${owner}; create sequence ${sequence};
    create schema ${otherSchema} authorization ${owner};
    create table ${schema}.__he_sync_obj_change__ (seq bigint); alter sequence ${sequence} owner to ${owner}`);
});
afterAll(async () => {
  await Promise.all(opened.map((databases) => databases.stop()));
  opened = [];
  const { rows } = await sql('select rolname from pg_roles where rolname = any ($1)', [
    [
      single,
      roleFor(key, otherSchema),
      ...[key, otherKey].flatMap((secret) => [roleFor(secret), deriveStateRole(secret, database.url)]),
    ],
  ]);
  const roles = [...rows.map(({ rolname }) => rolname), reading, granting, owner];
  await sql(`reassign owned by ${granting}, ${owner} to current_user; drop owned by ${roles.join(', ')} cascade`);
  await sql(`drop role ${roles.join(', ')}`);
  await database.drop();
});

it('creates the state of an app, which its login may read and change and not move to another one', async () => {
  const { prepare, asApp } = open(key);
  await Promise.all([prepare(app), prepare(app)]);
  const pool = asApp(schema);
  const { rows } = await pool.query(
    'update __portal_sync__.run set revision = 1 returning login, change_log_cursor::text as cursor',
  );
  expect(rows).toEqual([{ login: roleFor(key), cursor: '7' }]);
  await expect(pool.query(`update __portal_sync__.run set login = 'other'`)).rejects.toThrow('permission denied');
  await expect(pool.query('delete from __portal_sync__.run')).rejects.toThrow('permission denied');
});

it('gives the state of an app to its login after a change of the encryption key', async () => {
  const { prepare, asApp } = open(otherKey);
  await prepare(app);
  expect(await findStateId(asApp(schema), app.stateKey)).not.toBeNull();
  expect(await findStateId(open(key).asApp(schema), app.stateKey)).toBeNull();
  await open(key).prepare(app);
  expect(await findStateId(open(key).asApp(schema), app.stateKey)).not.toBeNull();
});

it('logs in again after code of the app has changed the password of its login', async () => {
  await open(key).prepare(app);
  await sql(`alter role ${roleFor(key)} password 'changed'`);
  const { rows } = await open(key).asApp(schema).query('select session_user::text as login');
  expect(rows).toEqual([{ login: roleFor(key) }]);
});

it('makes the numbers of a change log visible that was created again while its app is watched', async () => {
  const { watch, prepare } = open(key);
  await prepare(app);
  await sql(`drop sequence ${sequence}; create sequence ${sequence}; alter sequence ${sequence} owner to ${owner};
    alter table ${schema}.__he_sync_obj_change__ owner to ${owner}; insert into ${schema}.__he_sync_obj_change__ values (3)`);
  await new Promise<void>((resolve) => {
    watch.watch(schema, (head) => head === '3' && resolve());
  });
  const canRead = async () => {
    const { rows } = await sql('select has_sequence_privilege($1, $2, $3) as can', [reading, sequence, 'select']);
    return rows[0].can;
  };
  await expect.poll(canRead, { timeout: 100_000 }).toBe(true);
});

it('does not let an app that keeps its change log locked delay the first start of another one', async () => {
  const { prepare } = open(key);
  await prepare(app);
  await withClient({ connectionString: database.url }, async (client) => {
    await client.query(`revoke select on sequence ${sequence} from ${reading}`);
    await client.query(`begin; grant usage on sequence ${sequence} to ${reading}`);
    const locked = expect(prepare(app)).rejects.toThrow('lock timeout');
    await prepare({ ...app, schema: otherSchema, stateKey: 'Test/app/2/farm' });
    await locked;
    await client.query('rollback');
  });
  await prepare(app);
});

it('refuses a state that anyone else than the granting login owns', async () => {
  await sql(`alter schema __portal_sync__ owner to ${owner}`);
  await expect(open(key).prepare(app)).rejects.toThrow(
    `The schema __portal_sync__ in the Helium database belongs to ${owner} and not to the granting login ${granting}`,
  );
  await expect(open(key).asApp(schema).query('select 1')).rejects.toThrow('belongs to');
  await sql(`alter schema __portal_sync__ owner to ${granting}`);
});

it('goes on with the state that one login has created, after it was reassigned to the granting login', async () => {
  await sql(`drop schema __portal_sync__ cascade`);
  const name = new URL(database.url).pathname.slice(1);
  await sql(
    `create role ${single} login password 'secret' in role ${owner}; grant create on database ${name} to ${single}`,
  );
  const before = open(key, toUrl(single), null);
  await before.prepare(app);
  await before.asApp(schema).query(
    `insert into __portal_sync__.run (state_key, fence, change_log_cursor, op_log_cursor) values ($1, 0, 41, 42)
     on conflict (state_key) do update set change_log_cursor = 41`,
    [app.stateKey],
  );
  await expect(open(key).prepare(app)).rejects.toThrow(`belongs to ${single}`);
  await sql(`reassign owned by ${single} to ${granting}`);
  const after = open(key);
  await after.prepare(app);
  const { rows } = await after
    .asApp(schema)
    .query('select login, change_log_cursor::text as cursor from __portal_sync__.run where state_key = $1', [
      app.stateKey,
    ]);
  expect(rows).toEqual([{ login: roleFor(key), cursor: '41' }]);
});
