/**
 * Two apps in one database, with a login each. The owner of one has code in every place that the
 * sync touches.
 */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { hasPgbouncer, type Pgbouncer, startPgbouncerForAll } from '@portal/kit/postgres/pgbouncer.fixture';
import { inTransaction, withClient } from '@portal/kit/postgres/pool';
import { type ExclusiveServer, findTestVersions } from '@portal/kit/postgres/test-versions';
import { Secret } from '@portal/kit/secret';
import { deriveAppLogin } from '@portal/platforms/helium-database/logins/app-login';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../helium/helium-gateway.fixture.ts';
import { openHeliumGateway } from '../../helium/open-helium-gateway.ts';
import { createOperations } from '../../operations/operations.ts';
import type { Fields } from '../../record/fields.ts';
import type { HeliumDatabases } from '../../sync-state/helium-databases.ts';
import { computeHash, toUpload } from '../testing/photo-uploads.fixture.ts';
import { dataSource, environment, quickRateLimiter } from '../testing/sync-integration.fixture.ts';
import { createSyncWorld, openDatabases, type SyncWorld } from '../testing/sync-world.fixture.ts';
import { listAttempts, otherKey, otherSchema, plantSql, readMarkers } from '../testing/tenants-code.fixture.ts';
import { visitWithPhoto } from '../testing/visit-with-photo.fixture.ts';
import { waitUntil } from './fault-steps.fixture.ts';

const key = new Secret('7'.repeat(64));
const noCursor = { changeLog: '0', opLog: '0' };

const cases = findTestVersions().map((version) => ({ ...version, isPooled: false }));
const newest = cases.at(-1);
if (newest && hasPgbouncer)
  cases.push({ ...newest, name: `${newest.name} behind a pooler in transaction mode`, isPooled: true });

const toNotes = (rows: Readonly<Record<string, Fields>>) =>
  Object.fromEntries(Object.entries(rows).map(([id, { note }]) => [id, note]));

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

  /** Photos have another form on each side, and the other app's state is never settled. */
  const waitUntilEqual = () =>
    waitUntil(async () => isDeepStrictEqual(toNotes(await world.heliumRows()), toNotes(await world.journeyRows())));

  beforeAll(async () => {
    server = await startExclusive({ autovacuum: 'off' });
    world = await createSyncWorld({ ...visitWithPhoto, serverUrl: server.url });
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
      select state_id, 'of app b', gen_random from __portal_sync__.run,
        (select '00000000-0000-4000-8000-000000000001'::uuid as gen_random) id`);
    const other = deriveAppLogin(key, server.url, otherSchema).role;
    const attempts = listAttempts(['app_b', 'reading', 'granting', 'postgres', other]);
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

  it('runs everywhere with the rights of its owner, whatever the sync does', async () => {
    const run = world.start(undefined, undefined, databases);
    const [fromHelium, fromJourney, photo] = [randomUUID(), randomUUID(), createPhoto(1_000)];
    const note = async (id: string) =>
      (await world.sql(`select note, encode(sha256(photo), 'hex') as hash from $s.visit where _id_ = $1`, [id]))
        .rows[0];

    await asOwner(
      `insert into visit (_id_, _tstamp_, note, photo, photo_fname__) values ($1, now(), 'helium', $2, 'a.jpg')`,
      [fromHelium, photo],
    );
    await world.edit({
      method: 'put',
      object: { type: 'visit', id: fromJourney, note: 'journey', photo: toUpload(photo) },
    });
    await waitUntil(async () => (await note(fromJourney))?.hash === computeHash(photo));
    await waitUntilEqual();
    await asOwner(`update visit set note = 'changed' where _id_ = $1`, [fromJourney]);
    await world.edit({ method: 'patch', object: { type: 'visit', id: fromHelium, note: 'changed, too' } });
    await waitUntilEqual();

    const operations = createOperations(databases, quickRateLimiter());
    const { integration, deployment } = world;
    const journeyPassword = new Secret(deployment.password);
    const { signal } = new AbortController();
    const target = { ...integration, journeyPassword, isNew: false };
    expect(await operations.testConnection(target, signal)).toMatchObject({ helium: { reached: true }, problems: [] });
    const find = (search: object) => operations.findRecords(integration, { ...search, journeyPassword }, signal);
    expect((await find({ id: fromHelium })).records).toHaveLength(1);
    expect((await find({ table: 'visit', column: 'note', value: 'changed' })).records).toHaveLength(1);
    expect(await operations.readChangeLogBacklogs([integration])).toMatchObject([{ entries: expect.any(Number) }]);
    await operations.requestLookAgain(integration, [{ table: 'visit', id: fromHelium }]);
    await operations.requestComparison(integration);
    run.wake();
    await waitUntil(async () => (await operations.readDrift(integration)).length > 0);
    expect(await operations.readCounts(integration)).not.toEqual({});

    await world.edit({ method: 'delete', object: { type: 'visit', id: fromHelium } });
    await asOwner('delete from visit where _id_ = $1', [fromJourney]);
    await waitUntil(async () => (await note(fromHelium)) === undefined);
    await waitUntilEqual();
    expect(await world.heliumRows()).toEqual({});
    await run.stop();
    expect(world.log.filter((line) => line.startsWith('SEVERE'))).toEqual([]);

    const markers = readMarkers(server.readLog());
    const own = new Set(['app_a', login()]);
    expect(
      markers.filter(({ current, session, did }) => did.length > 0 || !own.has(current) || !own.has(session)),
    ).toEqual([]);
    const places = new Set(markers.filter(({ session }) => session === login()).map(({ place }) => place));
    const expected = ['after', 'before', 'check', 'default', 'deferred', 'domain', 'index', 'log'];
    expect([...places].sort()).toEqual([...expected, ...(major >= 12 ? ['generated'] : [])].sort());
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
});
