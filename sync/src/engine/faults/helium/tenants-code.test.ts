/**
 * Two apps in one database, with a login each. The owner of one has code in every place that the
 * sync touches.
 */
import { randomUUID } from 'node:crypto';
import { hasPgbouncer, type Pgbouncer, startPgbouncerForAll } from '@portal/kit/postgres/pgbouncer.fixture';
import { inTransaction, withClient } from '@portal/kit/postgres/pool';
import { type ExclusiveServer, findTestVersions } from '@portal/kit/postgres/test-versions';
import { Secret } from '@portal/kit/secret';
import { deriveAppLogin } from '@portal/platforms/helium-database/logins/app-login';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../helium/helium-gateway.fixture.ts';
import { openHeliumGateway } from '../../../helium/open-helium-gateway.ts';
import { getStateOfApp } from '../../../integration/state-key.ts';
import { createOperations } from '../../../operations/operations.ts';
import type { HeliumDatabases } from '../../../sync-state/helium-databases.ts';
import { userKeys } from '../../testing/played-users.fixture.ts';
import { dataSource, environment, quickRateLimiter } from '../../testing/sync-integration.fixture.ts';
import { createSyncWorld, openDatabases, type SyncWorld } from '../../testing/sync-world.fixture.ts';
import { userModeTables } from '../../testing/user-mode.fixture.ts';
import { visitWithPhoto } from '../../testing/visit-with-photo.fixture.ts';
import { decideConflicts, enrollUsers, operate, syncRecords } from './tenant-steps.fixture.ts';
import {
  listAttempts,
  listLocks,
  listPlaces,
  otherKey,
  otherSchema,
  plantSql,
  readMarkers,
} from './tenants-code.fixture.ts';

const key = new Secret('7'.repeat(64));
const noCursor = { changeLog: '0', opLog: '0' };

const cases = findTestVersions().map((version) => ({ ...version, isPooled: false }));
const newest = cases.at(-1);
if (newest && hasPgbouncer)
  cases.push({ ...newest, name: `${newest.name} behind a pooler in transaction mode`, isPooled: true });

describe.each(cases)("an app's own code on $name", ({ startExclusive, major, isPooled }) => {
  let server: ExclusiveServer;
  let pgbouncer: Pgbouncer | undefined;
  let world: SyncWorld;
  let databases: HeliumDatabases;

  const toUrl = (user: string) => Object.assign(new URL(server.url), { username: user, password: 'secret' }).href;
  const throughPooler = (url: string) => pgbouncer?.toPooled(url) ?? url;
  const login = () => deriveAppLogin(key, server.url, schema).role;
  /** Changes rows as the app itself does. */
  const asOwner = (sql: string, values: unknown[]) =>
    withClient({ connectionString: toUrl('app_a') }, async (client) => {
      await client.query(`set search_path to ${schema}`);
      await client.query(sql, values);
    });

  const listStateTables = async () => {
    const { rows } = await world.sql(
      `select relname as name from pg_class where relnamespace = '__portal_sync__'::regnamespace and relkind = 'r'`,
    );
    return rows.map(({ name }) => `${name}`);
  };
  /** Returns the locks that this user gets, and fails unless it has no right to all others. */
  const tryLocks = (user: string, toSql: (lock: string) => string) =>
    withClient({ connectionString: toUrl(user) }, async (client) => {
      const locked: string[] = [];
      for (const lock of listLocks(await listStateTables())) {
        await client.query('begin');
        const refusal = await client.query(toSql(lock)).then(
          () => null,
          (error: unknown) => error,
        );
        if (refusal === null) locked.push(lock);
        else expect(refusal).toMatchObject({ code: '42501' });
        await client.query('rollback');
      }
      return locked;
    });

  beforeAll(async () => {
    server = await startExclusive({ autovacuum: 'off' });
    world = await createSyncWorld({
      ...visitWithPhoto,
      tables: { ...visitWithPhoto.tables, ...userModeTables },
      sql: userKeys,
      serverUrl: server.url,
    });
    const [withAdmin, database] = [
      major >= 16 ? 'with admin true, inherit true, set true' : 'with admin option',
      'postgres',
    ];
    await world.sql(`
      create role app_a login password 'secret'; create role app_b login password 'secret';
      create role reading login password 'secret'; create role granting login createrole password 'secret';
      grant pg_read_all_stats to reading; grant create on database ${database} to granting;
      grant app_a, app_b to granting ${withAdmin};
      create schema ${otherSchema} authorization app_b;
      create table ${otherSchema}.secret (value text); alter table ${otherSchema}.secret owner to app_b;
      insert into ${otherSchema}.secret values ('of app b');
      do $do$ declare one record; begin
        for one in select format('alter %s %s owner to app_a', case relkind when 'S' then 'sequence' else 'table' end, oid::regclass) as sql
          from pg_class where relnamespace = '${schema}'::regnamespace and relkind in ('r', 'S') loop execute one.sql; end loop;
        for one in select oid::regprocedure as name from pg_proc where pronamespace = '${schema}'::regnamespace loop
          execute format('alter function %s owner to app_a', one.name); end loop;
        for one in select oid::regtype as name from pg_type where typnamespace = '${schema}'::regnamespace and typtype = 'e' loop
          execute format('alter type %s owner to app_a', one.name); end loop;
      end $do$;
      alter schema ${schema} owner to app_a`);
    if (isPooled) pgbouncer = await startPgbouncerForAll(server.url);
    databases = openDatabases(throughPooler(toUrl('reading')), { grantUrl: throughPooler(toUrl('granting')), key });
    await databases.get(environment, dataSource).prepare({ schema: otherSchema, stateKey: otherKey, from: noCursor });
    await world.sql(`insert into __portal_sync__.dirty (state_id, table_name, id)
      select state_id, 'of app b', '00000000-0000-4000-8000-000000000001' from __portal_sync__.run;
      insert into __portal_sync__.conflict (state_id, table_name, id, winner)
      select state_id, 'of app b', '00000000-0000-4000-8000-000000000001', 'helium' from __portal_sync__.run`);
    const other = deriveAppLogin(key, server.url, otherSchema).role;
    const attempts = listAttempts(['app_b', 'reading', 'granting', 'postgres', other], await listStateTables());
    await withClient({ connectionString: toUrl('app_a') }, (client) =>
      client.query(plantSql(attempts, { hasGenerated: major >= 12 })),
    );
  });
  afterAll(async () => {
    await databases?.stop();
    await world?.stop();
    await pgbouncer?.stop();
    await server?.stop();
  });

  it('runs everywhere with the rights of its owner, whatever the sync and its operators do', async () => {
    const called = new Set<string | symbol>();
    const operations = new Proxy(createOperations(databases, quickRateLimiter()), {
      get(actions, name, receiver) {
        called.add(name);
        return Reflect.get(actions, name, receiver);
      },
    });
    const tenant = { world, databases, asOwner };
    await syncRecords(tenant, operations);
    await decideConflicts(tenant, operations);
    await enrollUsers(tenant, operations);
    await operate(tenant, operations);
    // It reads Journey only.
    expect(Object.keys(operations).filter((name) => !called.has(name))).toEqual(['readOpLogBacklog']);
    expect(world.log.filter((line) => /^(SEVERE|BUG)/.test(line))).toEqual([]);

    const markers = readMarkers(server.readLog());
    const own = new Set(['app_a', login()]);
    expect(
      markers.filter(({ current, session, did }) => did.length > 0 || !own.has(current) || !own.has(session)),
    ).toEqual([]);
    const places = new Set(markers.filter(({ session }) => session === login()).map(({ place }) => place));
    expect([...places].sort()).toEqual(listPlaces({ hasGenerated: major >= 12 }));
  });

  it('has no right on a whole table of the state but to read its rows', async () => {
    const { rows } = await world.sql(
      `select c.relname, grantee::regrole, privilege_type from pg_class c, aclexplode(c.relacl)
       where c.relnamespace = '__portal_sync__'::regnamespace and c.relkind <> 'S'
         and grantee <> c.relowner and privilege_type <> 'SELECT'
       union all
       select c.relname, grantee::regrole, privilege_type
       from pg_class c join pg_attribute a on a.attrelid = c.oid, aclexplode(a.attacl)
       where c.relnamespace = '__portal_sync__'::regnamespace and privilege_type not in ('SELECT', 'INSERT', 'UPDATE')`,
    );
    expect(rows).toEqual([]);
  });

  it('halts the sync in words when a view is in the place of a log', async () => {
    await asOwner(
      `do $do$ begin alter table __he_sync_transaction_log__ rename to moved;
       execute 'create view __he_sync_transaction_log__ as select * from moved where probe(''view'')'; end $do$`,
      [],
    );
    const run = world.start(undefined, undefined, databases);
    expect(await run.ended).toEqual({
      outcome: 'halted',
      reason: `${schema}.__he_sync_transaction_log__ is a view, which Helium does not create, so the sync does not read it.`,
      position: '',
    });
    await asOwner(
      'do $do$ begin drop view __he_sync_transaction_log__; alter table moved rename to __he_sync_transaction_log__; end $do$',
      [],
    );
  });

  it('would have the rights of a login that serves all apps', async () => {
    const shared = openDatabases(throughPooler(toUrl('granting')));
    try {
      const pool = shared.get(environment, dataSource).asApp(schema);
      const gateway = openHeliumGateway({ pool, schema });
      const map = { table: 'visit', model: 'visit', fields: [], toHelium: true, toJourney: true };
      const write = { key: { table: 'visit', id: randomUUID() }, fields: {}, isInsert: true, changedAtMs: 0 };
      await inTransaction(pool, (db) => gateway.write(db, [map], [write]));
    } finally {
      await shared.stop();
    }
    const markers = readMarkers(server.readLog()).filter(({ session }) => session === 'granting');
    expect(new Set(markers.flatMap(({ did }) => did))).toContain("read another app's rows");
  });

  it('cannot lock a table of the state, also not through a function that its login owns', async () => {
    expect(await listStateTables()).toContain('intent');
    await databases.get(environment, dataSource).prepare(getStateOfApp(world.integration));
    // As code that runs as the login can.
    await world.sql(`alter role ${login()} password 'secret'`);
    expect(await tryLocks(login(), (lock) => lock)).toEqual([]);
    await withClient({ connectionString: toUrl(login()) }, (client) =>
      client.query(`create function ${schema}.run_as_login(statement text) returns void language plpgsql security definer
        as $f$ begin execute statement; end $f$; grant execute on function ${schema}.run_as_login to app_a`),
    );
    expect(await tryLocks('app_a', (lock) => `select ${schema}.run_as_login('${lock}')`)).toEqual([]);
  });
});
