/**
 * Sets up a data source with the statements of the doctor alone, and uses everything that the
 * server does in it. `sync/src/engine/faults/helium/tenants-code.test.ts` does the same for the
 * sync.
 */
import { randomBytes } from 'node:crypto';
import { hasPgbouncer, type Pgbouncer, startPgbouncerForAll } from '@portal/kit/postgres/pgbouncer.fixture';
import { withClient } from '@portal/kit/postgres/pool';
import { findTestVersions, type TestServer } from '@portal/kit/postgres/test-versions';
import { Secret } from '@portal/kit/secret';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countRows } from '../helium-database/app-objects.ts';
import { type HeliumDatabase, openHeliumDatabase } from '../helium-database/database.ts';
import { readNewestLogRows } from '../helium-database/logging-log.ts';
import { deriveAppLogin } from '../helium-database/logins/app-login.ts';
import { readLastResults } from '../helium-database/scheduled-function-results.ts';
import { grantAccess } from '../helium-database/schema-access/grant-access.ts';
import { revertAccess } from '../helium-database/schema-access/revert-access.ts';
import { readStatements } from '../helium-database/statistics/statements.ts';
import { readStatisticsServer } from '../helium-database/statistics/statistics-server.ts';
import { examineDataSource } from './examine-data-source.ts';

const schemaName = 'clinic__app_001';
const key = new Secret('8'.repeat(64));
const quoted = pg.escapeIdentifier;
const versions = findTestVersions().filter(({ major }) => [11, 15, 18].includes(major));

describe.each(
  versions.flatMap((version) => [
    { name: version.name, version, isPooled: false },
    ...(hasPgbouncer ? [{ name: `${version.name} behind pgbouncer`, version, isPooled: true }] : []),
  ]),
)('separate logins on $name', ({ version, isPooled }) => {
  const suffix = randomBytes(4).toString('hex');
  const roles = {
    app: `app_${suffix}`,
    team: `team_${suffix}`,
    reading: `reading_${suffix}`,
    granting: `granting_${suffix}`,
  };
  const databaseName = `separate_${suffix}`;
  let server: TestServer;
  let pgbouncer: Pgbouncer | undefined;
  let database: HeliumDatabase;
  let dataSource: Parameters<typeof examineDataSource>[0];

  const toUrl = (user?: string) => {
    const url = Object.assign(new URL(server.url), { pathname: `/${databaseName}` });
    return user === undefined ? url.href : Object.assign(url, { username: user, password: 'test' }).href;
  };
  const sql = (text: string, url = toUrl()) => withClient({ connectionString: url }, (client) => client.query(text));
  const app = { id: '00000000-0000-4000-8000-000000000001', name: 'Clinic', fqdn: 'clinic', schemaName };

  beforeAll(async () => {
    server = await version.start();
    await sql(`create database ${databaseName} template template0`, server.url);
    await sql(`create extension pg_stat_statements;
      ${Object.values(roles)
        .map((role) => `create role ${role} login password 'test';`)
        .join('')}
      create schema ${schemaName} authorization ${roles.app}`);
    await sql(
      `set search_path = ${schemaName};
       create table __he_data_version__ (id serial primary key, objects_hash int);
       create table __logging_log__ (_id_ uuid primary key, key text, value text, time timestamp);
       create table __scheduled_function_result__ (_id_ uuid primary key, qualifiedname text, schedule text, success boolean,
         error text, stacktrace text, datetimestampstarted timestamp, datetimestampfinished timestamp);
       create table visit (_id_ uuid primary key);
       insert into __logging_log__ values ('00000000-0000-4000-8000-000000000002', 'INFO', 'hello', '2026-01-01');
       insert into __scheduled_function_result__ values ('00000000-0000-4000-8000-000000000003', 'Nightly:run', '0 0 * * *',
         true, null, null, '2026-01-01', '2026-01-01');
       insert into visit values ('00000000-0000-4000-8000-000000000004')`,
      toUrl(roles.app),
    );
    if (isPooled) pgbouncer = await startPgbouncerForAll(server.url);
    const toAddress = (user: string) => pgbouncer?.toPooled(toUrl(user)) ?? toUrl(user);
    dataSource = {
      name: 'helium-app-1',
      url: toAddress(roles.reading),
      grantUrl: toAddress(roles.granting),
      teams: [roles.team],
    };
    database = openHeliumDatabase({
      name: dataSource.name,
      url: dataSource.url,
      logins: { grantUrl: dataSource.grantUrl ?? '', key },
    });
  });
  afterAll(async () => {
    await database.close();
    await pgbouncer?.stop();
    const { rows } = await sql(
      `select rolname as name from pg_roles where rolname like 'portal\\_app\\_clinic%' and pg_has_role(oid, '${roles.app}', 'member')`,
    );
    await sql(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${databaseName}'`, server.url);
    await sql(`drop database ${databaseName}`, server.url);
    for (const name of [...rows.map((row) => row.name), ...Object.values(roles)])
      await sql(`drop role ${quoted(name)}`, server.url);
    await server.stop();
  });

  it('are complete with the statements that the doctor shows', async () => {
    const { section } = await examineDataSource(dataSource, [app]);
    expect(section.isGood).toBe(false);
    const statements = section.lines.flatMap((line) => /: ((?:GRANT|ALTER) .*;)$/.exec(line)?.[1] ?? []);
    expect(statements).toHaveLength(5);
    await sql(statements.join('\n'));
    const again = await examineDataSource(dataSource, [app]);
    expect(again.section).toMatchObject({ isGood: true });
  });

  it('read logs, function results, counts and statistics', async () => {
    const log = await readNewestLogRows(database, schemaName, { afterMillis: 0, maxRows: 10 });
    expect(log.map(({ value }) => value)).toEqual(['hello']);
    expect([...(await readLastResults(database, schemaName)).results.keys()]).toEqual(['Nightly:run']);
    expect(await countRows(database, { schemaName, name: 'visit', kind: 'table' }, 5_000)).toBe(1);
    const statistics = await readStatisticsServer(database);
    if (!statistics.extension) throw new Error('the extension is missing');
    const ranBy = new Set<string | null>();
    await readStatements(database, statistics, statistics.extension, {}, (statements) => {
      for (const statement of statements) ranBy.add(statement.ranBy);
    });
    expect(ranBy).toContain(roles.app);
  });

  it.skipIf(isPooled)('read an app again after its code has changed the password of its login', async () => {
    const { role } = deriveAppLogin(key, dataSource.url, schemaName);
    await sql(`alter role ${quoted(role)} password 'changed'`);
    expect(await readNewestLogRows(database, schemaName, { afterMillis: 0, maxRows: 10 })).toHaveLength(1);
  });

  it('give a team access and take it back, and read the app as before in between', async () => {
    const { team } = roles;
    const { plan } = await grantAccess(database, { schemaName, team, teams: [team], mode: 'run' });
    expect(plan.before.owner).toBe(roles.app);
    await sql(`select from ${schemaName}.visit`, toUrl(team));
    expect(await readNewestLogRows(database, schemaName, { afterMillis: 0, maxRows: 10 })).toHaveLength(1);
    await revertAccess(database, { before: plan.before, team, mode: 'run' });
    await expect(sql(`select from ${schemaName}.visit`, toUrl(team))).rejects.toThrow('permission denied');
    expect(await readNewestLogRows(database, schemaName, { afterMillis: 0, maxRows: 10 })).toHaveLength(1);
  });
});
