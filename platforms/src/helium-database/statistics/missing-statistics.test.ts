import { findTestVersions, type TestServer } from '@portal/kit/postgres/test-versions';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openHeliumDatabase } from '../database.ts';
import {
  createCountingDatabase,
  createRoles,
  getDatabaseUrl,
  listStatements,
  openCountingDatabase,
  roles,
  run,
} from './counting-server.fixture.ts';
import { findMissing, findObstacle } from './missing-statistics.ts';
import { readStatisticsInfo, resetStatistics } from './statistics-reset.ts';
import { readStatisticsServer } from './statistics-server.ts';

const versions = findTestVersions();

describe.each(versions)('$name', ({ major, startExclusive }) => {
  let postgres: TestServer;

  beforeAll(async () => {
    postgres = await startExclusive({ 'pg_stat_statements.max': '100' });
    await createRoles(postgres.url);
  });
  afterAll(() => postgres.stop());

  it('reports what is missing with a fix for each, and nothing once everything is fixed', async () => {
    const url = await createCountingDatabase(postgres, 'incomplete', 'select');
    const missing = async () => {
      const blind = openHeliumDatabase({ name: 'helium-app-1', url: getDatabaseUrl(url, { user: roles.blind }) });
      const found = findMissing('helium-app-1', await readStatisticsServer(blind), { dropped: 0 });
      await blind.close();
      return found;
    };
    const fix = async () => {
      for (const { remedy } of await missing()) await run(url, remedy ?? '');
    };

    expect(await missing()).toEqual([
      {
        kind: 'extension',
        message: 'The extension pg_stat_statements is not installed in helium-app-1.',
        remedy: 'CREATE EXTENSION pg_stat_statements;',
      },
    ]);
    await fix();
    expect(await missing()).toEqual([
      {
        kind: 'privilege',
        message: 'The user portal "blind" sees only the statements it ran itself in helium-app-1.',
        remedy: 'GRANT pg_read_all_stats TO "portal ""blind""";',
      },
    ]);
    await fix();
    expect(await missing()).toEqual([]);
    await run(url, 'drop extension pg_stat_statements', `create extension pg_stat_statements version '1.4'`);
    expect(await missing()).toMatchObject([{ kind: 'version', remedy: 'ALTER EXTENSION pg_stat_statements UPDATE;' }]);
    await fix();
    expect(await missing()).toEqual([]);
    await run(url, `alter database incomplete set pg_stat_statements.track = 'none'`);
    expect(await missing()).toMatchObject([{ kind: 'track' }]);
  });

  it('reports how many statements the server had to drop', async () => {
    const url = await createCountingDatabase(postgres, 'full');
    const columns = Array.from({ length: 300 }, (_, at) => `c${at}`);
    await run(url, `create table wide (${columns.map((column) => `${column} int`).join(', ')})`);
    await run(url, ...columns.map((column) => `select ${column} from wide`));
    const { server, extension, database } = await openCountingDatabase(url);
    onTestFinished(() => database.close());
    const info = await readStatisticsInfo(database, extension);
    if (major < 14) return expect(info).toEqual({ lastReset: null, dropped: null });
    expect(info.dropped).toBeGreaterThan(0);
    expect(findMissing('helium-app-1', server, info)).toEqual([
      {
        kind: 'evictions',
        message: `The server of helium-app-1 keeps 100 statements and had to drop the least used ones ${info.dropped} times.`,
        remedy: 'pg_stat_statements.max = 200   # postgresql.conf; then restart the server',
      },
    ]);
  });

  it('resets the statistics of the whole server for users with permission', async () => {
    const url = await createCountingDatabase(postgres, 'reset me');
    await run(url, 'create table item (id int)', 'select count(*) from item');
    const counting = await openCountingDatabase(url);
    const { database, server, extension } = counting;
    onTestFinished(() => database.close());
    const before = await readStatisticsInfo(database, extension);
    const grant = `GRANT EXECUTE ON FUNCTION "public".pg_stat_statements_reset TO "portal reader";`;
    await expect(resetStatistics(database, server, extension)).rejects.toMatchObject({
      status: 403,
      message: `The user portal reader cannot reset the statistics of helium-app-1. To allow it, run: ${grant}`,
    });
    expect(await listStatements(counting, { search: 'count item' })).toHaveLength(1);
    await run(url, grant);
    // Another user's function, which from version 12 fits a call without parameters as well.
    if (major >= 12)
      await run(
        url,
        `create function public.pg_stat_statements_reset() returns void language plpgsql as $$
           begin raise exception 'ran as %', current_user; end $$`,
      );
    await resetStatistics(database, server, extension);
    expect(await listStatements(counting, { search: 'count item' })).toEqual([]);
    const after = await readStatisticsInfo(database, extension);
    if (major < 14) expect(after.lastReset).toBeNull();
    else expect(Number(after.lastReset)).toBeGreaterThan(Number(before.lastReset));
  });
});

// A setting of a library that is not loaded is stored anyway, in a different way per version.
describe.each(versions.filter((_, at) => at === 0 || at === versions.length - 1))('$name', ({ startExclusive }) => {
  it('reports that the library is not loaded, even if it is configured and installed', async () => {
    const postgres = await startExclusive({ shared_preload_libraries: '', 'pg_stat_statements.max': '100' });
    onTestFinished(() => postgres.stop());
    await createRoles(postgres.url);
    const { server, database } = await openCountingDatabase(await createCountingDatabase(postgres, 'unloaded'));
    await database.close();
    expect(findObstacle('helium-app-1', server)).toMatchObject({ kind: 'preload' });
  });
});
