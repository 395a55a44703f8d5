/**
 * An app's owner can put code wherever the portal reads or plans. Each piece of it writes to the
 * server's log who it runs as, and what it can do: the log survives rollbacks and read-only
 * transactions. No line may show a right beyond the owner's.
 *
 * Add each feature that touches a data source to `useEverything`; the last test fails until then.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as dbSpy from '@portal/contract/db-spy';
import { getDeploymentApps } from '@portal/contract/deployments';
import { examineEnvironment } from '@portal/contract/doctor';
import type { Endpoint, RequestOf } from '@portal/contract/endpoint';
import { endpoints } from '@portal/contract/endpoints';
import * as functions from '@portal/contract/scheduled-functions';
import * as access from '@portal/contract/schema-access';
import { getSyncObjects } from '@portal/contract/sync/objects';
import { withClient } from '@portal/kit/postgres/pool';
import { getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import { readNewestLogRows } from '@portal/platforms/helium-database/logging-log';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHeliumObjects } from './features/sync-objects/helium-objects.ts';
import { type SmallWorld, startSmallWorld } from './testing/small-world.ts';
import { parseProblem, type TestClient } from './testing/test-client.ts';

interface Marker {
  readonly place: string;
  readonly user: string;
  readonly session: string;
  readonly readOnly: boolean;
  /** What it could do beyond the rights of its owner. */
  readonly beyond: string[];
}

const quoted = pg.escapeIdentifier;
const results = '__scheduled_function_result__';

describe.each([
  { name: 'separate logins', isSeparate: true },
  { name: 'one login', isSeparate: false },
])('code of an app in a data source with $name', ({ isSeparate }) => {
  let world: SmallWorld;
  let developer: TestClient;
  let owner: string;
  let schema: string;
  let markers: Marker[] = [];
  const exercised = new Set<Endpoint>();

  const asOwner = (sql: string) =>
    withClient({ connectionString: world.helium.app('Clinic Visits').url }, (client) => client.query(sql));
  const asSuperuser = (sql: string, values: unknown[] = []) => {
    const { pathname } = new URL(world.helium.app('Clinic Visits').url);
    const url = Object.assign(new URL(getTestPostgresUrl()), { pathname }).href;
    return withClient({ connectionString: url }, (client) => client.query(sql, values));
  };

  const attempt = <E extends Endpoint>(endpoint: E, input: RequestOf<E>) => {
    exercised.add(endpoint);
    return developer.attempt(endpoint, input);
  };

  const call = <E extends Endpoint>(endpoint: E, input: RequestOf<E>) => {
    exercised.add(endpoint);
    return developer.call(endpoint, input);
  };

  beforeAll(async () => {
    world = await startSmallWorld({}, { hasSeparateLogins: isSeparate });
    const app = world.helium.app('Clinic Visits');
    schema = app.schemaName;
    owner = decodeURIComponent(new URL(app.url).username);
    developer = await world.server.signIn('demo', 'demo');
    // As everywhere until PostgreSQL 15.
    await asSuperuser(`grant create on schema public to ${quoted(owner)}`);
    await plantMarkers();
    markers = [];
    const from = await readLogLength();
    await useEverything();
    markers = parseMarkers((await readLog()).slice(from));
  });
  afterAll(() => world.stop());

  async function plantMarkers(): Promise<void> {
    const { schemaName: other } = world.helium.app('Farm Inputs');
    const [otherRole, team] = [
      decodeURIComponent(new URL(world.helium.app('Farm Inputs').url).username),
      world.helium.teams[0]?.name ?? '',
    ];
    const { grantUrl } = world.helium.dataSources[0];
    const roles = [
      otherRole,
      team,
      new URL(grantUrl).username,
      new URL(world.helium.adminUrl('helium-app-1')).username,
    ];
    await asOwner(`
      create table marks (place text);
      -- Autovacuum computes the expressions of indexes, too, as the owner.
      alter table ${results} set (autovacuum_enabled = false);
      alter table __logging_log__ set (autovacuum_enabled = false);
      alter table visit set (autovacuum_enabled = false);
      alter materialized view visit_summary set (autovacuum_enabled = false);
      create function mark(place text) returns boolean language plpgsql volatile as $mark$
      declare beyond text := ''; role text;
      begin
        begin execute 'select from ${other}.farmer'; beyond := beyond || ' reads-other-app'; exception when others then null; end;
        begin execute 'reset role'; exception when others then null; end;
        begin execute 'select from ${other}.farmer'; beyond := beyond || ' reads-other-app'; exception when others then null; end;
        foreach role in array array[${roles.map(pg.escapeLiteral).join(', ')}] loop
          begin execute format('set role %I', role); beyond := beyond || ' becomes-' || role; exception when others then null; end;
          begin execute 'reset role'; exception when others then null; end;
          begin execute format('grant %I to ${quoted(owner)}', role); beyond := beyond || ' gives-' || role; exception when others then null; end;
        end loop;
        if current_setting('transaction_read_only')::boolean then
          begin execute 'set transaction read write'; beyond := beyond || ' writes'; exception when others then null; end;
          begin execute 'insert into ${schema}.marks values (''x'')'; beyond := beyond || ' writes'; exception when others then null; end;
        end if;
        perform pg_advisory_lock(4712);
        raise log 'marker ${schema} % % % % %', place, current_user, session_user,
          current_setting('transaction_read_only'), '[' || trim(beyond) || ']';
        return true;
      end $mark$;
      create function constant(place text) returns boolean language plpgsql immutable as $$ begin return ${schema}.mark(place); end $$;
      -- Planning a query of a table computes the constants in the expressions of its indexes.
      create index on ${results} ((constant('index-of-results')));
      create index on __logging_log__ ((constant('index-of-log')));
      create index on visit ((constant('index-of-table')));
      create index on visit_summary ((constant('index-of-materialized-view')));
      create function plan() returns boolean language plpgsql immutable as $$ begin return ${schema}.mark('plan'); end $$;
      create view spying_view as select mark('view');
      create function public.same(oid, regclass) returns boolean language sql as $$ select ${schema}.mark('operator') and $1 = $2::oid $$;
      create operator public.= (leftarg = oid, rightarg = regclass, function = public.same);
      create function public.strpos(text, varchar) returns int language sql as $$ select ${schema}.mark('function')::int $$;
      -- Each of these fits a call of the portal better than PostgreSQL's own function.
      create function public.array_remove(text[], text) returns text[] language sql as $$
        select array[${schema}.mark('array-function')::text] $$;
      create function public.has_database_privilege(name, text) returns boolean language sql as $$
        select ${schema}.mark('privilege-function') $$;
      grant usage on schema ${schema} to public;
      alter table ${results} enable row level security;
      create policy spying on ${results} using (mark('policy'));
    `);
    // Recorded as statements of the owner: one of them names the schema of the other app.
    await asOwner('select plan()');
    await asOwner(`select plan() as "${other}.farmer"`);
  }

  /** Every call that makes the portal touch a data source. */
  async function useEverything(): Promise<void> {
    const { id: appId } = world.helium.app('Clinic Visits');
    const dataSource = 'helium-app-1';
    const teamUser = world.helium.teams[0]?.name ?? '';
    await call(functions.getScheduledFunctionResults, { uuid: appId });
    await call(functions.getLastFunctionResults, { uuid: appId });
    await readLogHistory();
    await countObjects();
    for (const target of [{ appId }, { dataSource }]) {
      const rows = await call(dbSpy.getStats, target);
      await call(dbSpy.getTopStats, { ...target, metric: 'calls', order: 'descending', limit: 5 });
      await call(dbSpy.getStatementTrends, { ...target, ids: rows.slice(0, 1).map(({ id }) => id) });
      await call(dbSpy.getStatsContext, target);
      for (const { id } of rows.filter((row) => row.query.includes('plan()'))) {
        await call(dbSpy.getStatement, { ...target, id });
        await call(dbSpy.explainStatement, { ...target, id });
      }
    }
    await call(dbSpy.getLastReset, { dataSource });
    await call(examineEnvironment, {});
    await call(getDeploymentApps, { dataSource, team: 'Health', jiraProject: 'NONE' });
    await call(access.getAppSchemas, { dataSource });
    await call(access.pingDatabase, { dataSource });
    await call(access.generateSql, { teamUser, schemaName: schema });
    const plan = await call(access.planAccess, { teamUser, appId });
    await call(access.migrateApp, { teamUser, appId });
    expect(plan).toMatchObject({ schemaName: schema });
    const [grant] = await call(access.getAccessHistory, { appId });
    await call(access.getAccessGrant, { grantId: grant?.id ?? '' });
    await call(functions.getLastFunctionResults, { uuid: appId });
    await call(access.planRevert, { grantId: grant?.id ?? '' });
    await call(access.revertAccess, { grantId: grant?.id ?? '' });
    await call(access.migrateSchema, { teamUser, schemaName: schema, dataSource });
    await attempt(dbSpy.resetStats, { hostname: world.helium.dataSources[0].hostname });
  }

  function findDatabase() {
    const { appDatabases, environments } = world.server.dependencies;
    return appDatabases.find(environments.all[0] ?? expect.fail('no environment'), schema);
  }

  /** Reads what a new viewer of the log receives. */
  const readLogHistory = async () => readNewestLogRows(await findDatabase(), schema, { afterMillis: 0, maxRows: 5 });

  /** Reads Helium's side of the objects of an integration. */
  async function countObjects() {
    exercised.add(getSyncObjects);
    const objects = await readHeliumObjects(await findDatabase(), schema, AbortSignal.timeout(60_000));
    expect(objects.find(({ objectName }) => objectName === 'visit')?.objectCount).toBe(30);
  }

  async function readLog(): Promise<string> {
    const { rows } = await asSuperuser(`select current_setting('data_directory') as folder`);
    return readFile(join(rows[0].folder, '..', 'server.log'), 'utf8');
  }

  const readLogLength = async () => (await readLog()).length;

  function parseMarkers(log: string): Marker[] {
    return [...log.matchAll(new RegExp(`marker ${schema} (\\S+) (\\S+) (\\S+) (on|off) \\[(.*)\\]`, 'g'))].map(
      ([, place = '', user = '', session = '', mode, beyond = '']) => ({
        place,
        user,
        session,
        readOnly: mode === 'on',
        beyond: beyond.split(' ').filter((each) => each !== ''),
      }),
    );
  }

  if (isSeparate) {
    it('runs with the rights of its owner only, wherever the portal meets it', () => {
      expect([...new Set(markers.map(({ place }) => place))].sort()).toEqual([
        'index-of-log',
        'index-of-materialized-view',
        'index-of-results',
        'index-of-table',
        'plan',
      ]);
      expect(markers.filter(({ beyond }) => beyond.length > 0)).toEqual([]);
      const logins = new Set(markers.flatMap(({ user, session }) => [user, session]));
      expect([...logins].map((login) => login.replace(/_[0-9a-f]{12}$/, ''))).toEqual([`portal_app_${schema}`]);
    });
  } else {
    it('has the rights of the portal, as the same markers show', () => {
      const beyond = new Set(markers.flatMap((marker) => marker.beyond));
      expect(beyond).toContain('reads-other-app');
      expect([...beyond].some((each) => each.startsWith('becomes-'))).toBe(true);
    });

    it('is not planned, because the planner would run it with the rights of the portal', () => {
      expect(markers.map(({ place }) => place)).not.toContain('plan');
    });
  }

  it('leaves no lock of a session behind', async () => {
    const { rows } = await asSuperuser(`select pid from pg_locks where locktype = 'advisory' and objid = 4712`);
    expect(rows).toEqual([]);
  });

  it('does not run where a view replaces a table of Helium, which the portal refuses to read', async () => {
    await asSuperuser(`alter table ${schema}.__logging_log__ rename to real_log;
      create view ${schema}.__logging_log__ as select *, ${schema}.mark('view') from ${schema}.real_log;
      alter view ${schema}.__logging_log__ owner to ${quoted(owner)}`);
    const from = await readLogLength();
    await expect(readLogHistory()).rejects.toThrow(
      `${schema}.__logging_log__ is a view and not the table that Helium creates, so the portal does not read it.`,
    );
    await asSuperuser(`alter table ${schema}.${results} force row level security`);
    const { id: uuid } = world.helium.app('Clinic Visits');
    expect(parseProblem(await developer.attempt(functions.getScheduledFunctionResults, { uuid })).message).toContain(
      'hides rows with policies',
    );
    expect(parseMarkers((await readLog()).slice(from))).toEqual([]);
  });

  it('was exercised with every call of the portal that concerns a data source', () => {
    const concerns = ['app', 'dataSource', 'schema', 'anySchema', 'grant', 'databaseHost', 'integration'];
    // The platform's own interface, and the sync service, which has such a test of its own.
    const elsewhere = /^\/portal-backend\/(api\/config|ws)\/|^\/sync\/api\//;
    const missing = endpoints.filter(
      ({ about, path }) => Object.keys(about).some((each) => concerns.includes(each)) && !elsewhere.test(path),
    );
    expect(missing.filter((endpoint) => !exercised.has(endpoint)).map(({ path }) => path)).toEqual([]);
  });
});
