import {
  explainStatement,
  getLastReset,
  getStatement,
  getStatementTrends,
  getStats,
  getStatsContext,
  getTopStats,
  otherApps,
  type StatRow,
  statRowSchema,
} from '@portal/contract/db-spy';
import { migrateApp } from '@portal/contract/schema-access';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SmallWorld } from '../../testing/small-world.ts';
import { parseProblem, type TestClient } from '../../testing/test-client.ts';
import { SnapshotSchedule } from './snapshots/snapshot-schedule.ts';
import { startStatisticsWorld } from './statistics-world.fixture.ts';

let world: SmallWorld;
let demo: TestClient;
let clinicId: string;

beforeAll(async () => {
  world = await startStatisticsWorld();
  demo = await world.server.signIn('demo', 'demo');
  clinicId = world.helium.app('Clinic Visits').id;
});
afterAll(() => world.stop());

/** Runs SQL as the app itself. */
async function runAs(name: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client(world.helium.app(name).url);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

const one = (rows: readonly StatRow[]): StatRow => {
  const [row, ...others] = rows;
  if (!row || others.length > 0) throw new Error(`expected one row, but there are ${rows.length}`);
  return row;
};

describe('statement statistics', () => {
  beforeAll(async () => {
    await runAs('Clinic Visits', 'select badge as looked_for from nurse where badge = $$x$$');
    await runAs('Clinic Visits', 'select badge as looked_for from nurse where badge = $$y$$');
    await runAs('Farm Inputs', 'select name as looked_for from farmer where hectares > 3');
  });

  it('statistics of an app contain the statements of its own role, with the specified fields', async () => {
    const row = one(await demo.call(getStats, { environment: 'Production', appId: clinicId, search: 'LOOKED_for' }));
    expect(row).toMatchObject({
      query: 'select badge as looked_for from nurse where badge = $1',
      calls: 2,
      rows: 0,
      matched: 'role',
      total_time: expect.any(Number),
      min_time: expect.any(Number),
      max_time: expect.any(Number),
      mean_time: expect.closeTo(row.total_time / 2, 9),
      stddev_time: expect.any(Number),
    });
    expect(row.queryLength).toBeNull();
    // All fields of the contract, and no others.
    expect(statRowSchema.parse(row)).toEqual(row);
  });

  it('statistics of a data source contain the statements of all roles', async () => {
    const rows = await demo.call(getStats, {
      environment: 'Production',
      dataSource: 'helium-app-1',
      search: 'looked_for',
    });
    expect(rows.map(({ calls }) => calls).sort()).toEqual([1, 2]);
    expect(rows.every((row) => !('matched' in row))).toBe(true);
    expect(await demo.call(getStats, { dataSource: 'helium-app-2', search: 'looked_for' })).toEqual([]);
  });

  it('statistics of a data source show statements of apps that the user cannot see in one row', async () => {
    const farmer = await world.server.signIn('farm.dev', 'farm');
    for (const range of ['reset', 'hour'] as const) {
      const source = { dataSource: 'helium-app-1', range };
      const all = await demo.call(getStats, source);
      const rows = await farmer.call(getStats, source);
      const others = one(rows.filter(({ id }) => id === otherApps.id));
      expect(rows.at(-1)).toEqual(others);
      expect(others).toMatchObject({ query: 'Other apps', ranBy: null, queryLength: null });
      expect(others.calls).toBeGreaterThanOrEqual(all.find(({ query }) => query.includes('badge'))?.calls ?? 0);
      expect(rows.some(({ query }) => query.includes('hectares'))).toBe(true);
      expect(rows.some(({ query }) => query.includes('badge'))).toBe(false);
      expect(rows.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 1);
      expect(all.some(({ id }) => id === otherApps.id)).toBe(false);
    }
    // A search must not reveal the texts of other apps.
    const search = async (text: string) => farmer.call(getStats, { dataSource: 'helium-app-1', search: text });
    const [found, missed] = [await search('badge as looked_for'), await search('nothing has this text')];
    expect([found, missed].map((rows) => rows.map(({ id }) => id))).toEqual([[otherApps.id], [otherApps.id]]);
    // A data source without any of their apps.
    const empty = await farmer.call(getStats, { dataSource: 'helium-app-2' });
    expect(empty.every(({ id }) => id === otherApps.id)).toBe(true);
  });

  it('a statement of an app that the user cannot see is not found in a data source', async () => {
    const farmer = await world.server.signIn('farm.dev', 'farm');
    const rows = await demo.call(getStats, { dataSource: 'helium-app-1', search: 'looked_for' });
    const statuses = async (text: string) => {
      const id = rows.find(({ query }) => query.includes(text))?.id ?? '';
      const payload = { dataSource: 'helium-app-1', id };
      return [
        (await farmer.attempt(getStatement, payload)).status,
        (await farmer.attempt(explainStatement, payload)).status,
      ];
    };
    expect(await statuses('badge')).toEqual([404, 404]);
    expect(await statuses('hectares')).toEqual([200, 200]);
  });

  it("statistics exclude the portal's own statements unless requested", async () => {
    const portals = (rows: readonly StatRow[]) => rows.filter(({ query }) => query.includes('/* portal */'));
    const source = { dataSource: 'helium-app-1' };
    expect(portals(await demo.call(getStats, source))).toEqual([]);
    expect(portals(await demo.call(getStats, { ...source, withOwn: true })).length).toBeGreaterThan(0);
  });

  it('statistics are limited as requested, highest total time first', async () => {
    const rows = await demo.call(getStats, {
      dataSource: 'helium-app-1',
      minCalls: 1,
      textLimit: 20,
    });
    expect(rows.length).toBeGreaterThan(3);
    const times = rows.map(({ total_time }) => total_time);
    expect(times).toEqual(times.toSorted((one, other) => other - one));
    expect(
      rows.every(({ query, queryLength }) => query.length <= 20 && (queryLength === null || queryLength > 20)),
    ).toBe(true);
  });

  it('the first statements by a metric are those of all statistics, with the sum of the rest', async () => {
    const scope = { dataSource: 'helium-app-1', textLimit: 2_000 };
    for (const range of ['reset', 'hour'] as const) {
      const all = await demo.call(getStats, { ...scope, range });
      const top = await demo.call(getTopStats, { ...scope, range, metric: 'rows', order: 'descending', limit: 5 });
      const sorted = all.toSorted((a, b) => b.rows - a.rows || b.total_time - a.total_time || (a.id < b.id ? -1 : 1));
      expect(top.rows.map(({ id, query }) => ({ id, query }))).toEqual(
        sorted.slice(0, 5).map(({ id, query }) => ({ id, query })),
      );
      expect(top.count).toBe(all.length);
      expect(top.rest?.count).toBe(all.length - 5);
      expect(statRowSchema.parse(top.rows[0])).toEqual(top.rows[0]);
      // Five statements and their figures, however many statements there are.
      expect(JSON.stringify(top).length).toBeLessThan(5 * 3_000);
    }
    const means = { ...scope, metric: 'mean_time', order: 'ascending', limit: 1 } as const;
    expect((await demo.call(getTopStats, means)).rest).toBeNull();
  });

  it('the first statements include those of other apps in one row', async () => {
    const farmer = await world.server.signIn('farm.dev', 'farm');
    const request = { dataSource: 'helium-app-1', metric: 'calls', order: 'descending', limit: 10_000 } as const;
    const { rows } = await farmer.call(getTopStats, request);
    expect(rows.find(({ id }) => id === otherApps.id)).toMatchObject({ query: 'Other apps', ranBy: null });
    expect(rows.some(({ query }) => query.includes('badge'))).toBe(false);
    expect(rows.some(({ query }) => query.includes('hectares'))).toBe(true);
  });

  it('the context describes what the statistics cover', async () => {
    const context = await demo.call(getStatsContext, { appId: clinicId });
    expect(context).toMatchObject({
      dataSource: 'helium-app-1',
      hostname: 'pg-1.helium.internal',
      dbName: world.helium.dataSources[0].dbName,
      serverVersion: expect.stringMatching(/^18\./),
      extensionVersion: '1.12',
      rule: { role: expect.stringContaining('clinic_visits_001'), schemaName: 'clinic_visits_001' },
      range: { from: null, notes: [] },
      columns: ['cache_hit', 'temp_bytes', 'wal_bytes'],
      missing: [],
      explainRefusal: null,
    });
    expect(Date.parse(context.lastReset ?? '')).toBeLessThan(Date.now());
    const lasts = await demo.call(getLastReset, {});
    expect(lasts).toEqual([
      { databaseHost: 'pg-1.helium.internal', lastReset: context.lastReset },
      { databaseHost: 'pg-2.helium.internal', lastReset: context.lastReset },
    ]);
    expect(await demo.call(getLastReset, { dataSource: 'helium-app-2' })).toEqual([lasts[1]]);
  });
});

describe('single statement', () => {
  const search = 'select badge from nurse, region where region.name = upper badge';
  beforeAll(() =>
    runAs('Clinic Visits', `select badge from nurse, region where region.name = upper(badge) and badge = 'x'`),
  );
  const find = async () => one(await demo.call(getStats, { appId: clinicId, search, textLimit: 20 }));

  it('returns a statement in full to users who see its app or data source', async () => {
    const { id, query } = await find();
    expect(query).toHaveLength(20);
    const whole = `select badge from nurse, region where region.name = upper(badge) and badge = $1`;
    expect(await demo.call(getStatement, { appId: clinicId, id })).toEqual({ query: whole });
    expect(await demo.call(getStatement, { dataSource: 'helium-app-1', id })).toEqual({ query: whole });
    const farm = await world.server.signIn('farm.dev', 'farm');
    const foreign = await farm.attempt(getStatement, { appId: world.helium.app('Farm Inputs').id, id });
    expect(foreign.status).toBe(404);
    expect(parseProblem(foreign).message).toBe(
      'The server of helium-app-1 no longer has this statement in its statistics.',
    );
  });

  it('explains a statement in its schema without running it, by app or by data source', async () => {
    const { id } = await find();
    for (const whose of [{ appId: clinicId }, { dataSource: 'helium-app-1' }]) {
      const { plan, reason } = await demo.call(explainStatement, { ...whose, id });
      expect(reason).toBeNull();
      expect(plan).toContain('$1');
    }
    expect((await find()).calls).toBe(1);
  });

  it('a statement without a plan returns the reason', async () => {
    await runAs('Clinic Visits', 'create table if not exists no_plan (id int)');
    const { id } = one(await demo.call(getStats, { appId: clinicId, search: 'no_plan' }));
    expect(await demo.call(explainStatement, { appId: clinicId, id })).toEqual({
      plan: null,
      reason:
        'Only SELECT, INSERT, UPDATE, DELETE, MERGE, VALUES, WITH, TABLE, DECLARE, and CREATE TABLE AS statements have a plan.',
      note: null,
    });
  });
});

describe('statistics of a time range', () => {
  it('contain what was counted since the snapshot, and the actual start', async () => {
    await runAs('Stock Room', 'select onhand from item', 'select name from item');
    const { pool, logger, environments, appDatabases } = world.server.dependencies;
    const takenAt = new Date();
    await new SnapshotSchedule({ pool, logger, environments, appDatabases, now: () => takenAt }).tick();
    await runAs('Stock Room', 'select onhand from item', 'select onhand from item', 'select _id_ from item');

    const appId = world.helium.app('Stock Room').id;
    const rows = await demo.call(getStats, { appId, range: 'hour', search: 'from item' });
    expect(rows.map(({ query, calls, rows: returned }) => [query, calls, returned]).sort()).toEqual([
      ['select _id_ from item', 1, 10],
      ['select onhand from item', 2, 20],
    ]);
    expect(rows.every(({ min_time, max_time }) => min_time === null && max_time === null)).toBe(true);
    const all = await demo.call(getStats, { appId, range: 'hour' });
    expect(all.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);

    const times = all.map(({ total_time }) => total_time);
    expect(times).toEqual(times.toSorted((one, other) => other - one));
    expect(await demo.call(getStats, { appId, range: 'hour', minCalls: 3 })).toEqual([]);
    const { range } = await demo.call(getStatsContext, { appId, range: 'week' });
    expect(range.from).toBe(takenAt.toISOString());
    expect(range.notes).toEqual([
      expect.stringMatching(/^The oldest snapshot was taken at .* UTC; counted from then\.$/),
    ]);
  });
});

describe('statement trends', () => {
  it('show the calls between snapshots, only of statements that the user may read', async () => {
    const { pool, logger, environments, appDatabases } = world.server.dependencies;
    const takeSnapshot = async (hoursAgo: number) => {
      const takenAt = new Date(Date.now() - hoursAgo * 3_600_000);
      await new SnapshotSchedule({ pool, logger, environments, appDatabases, now: () => takenAt }).tick();
    };
    await pool.query('truncate statement_snapshot, statement_source');
    const sql = 'select name from farmer where hectares > 4 and name is not null';
    await takeSnapshot(9);
    await runAs('Farm Inputs', sql, sql);
    await takeSnapshot(6);
    await takeSnapshot(3);
    await runAs('Farm Inputs', sql);
    const { id } = one(await demo.call(getStats, { dataSource: 'helium-app-1', search: 'hectares name is not null' }));
    await takeSnapshot(0);

    const trendOf = async (client: TestClient, target: { readonly appId: string } | { readonly dataSource: string }) =>
      (await client.call(getStatementTrends, { ...target, ids: [id, 'unknown'] })).trends;
    const farm = await world.server.signIn('farm.dev', 'farm');
    const farmId = world.helium.app('Farm Inputs').id;
    const expected = [{ id, calls: [2, 0, 1], total_time: [expect.any(Number), 0, expect.any(Number)] }];
    for (const [client, target] of [
      [demo, { dataSource: 'helium-app-1' }],
      [farm, { dataSource: 'helium-app-1' }],
      [farm, { appId: farmId }],
    ] as const)
      expect(await trendOf(client, target)).toEqual(expected);
    expect(await trendOf(demo, { appId: clinicId })).toEqual([]);
    const stock = await demo.call(getStatementTrends, { dataSource: 'helium-app-2', ids: [id] });
    expect(stock).toEqual({ takenAt: expect.any(Array), trends: [] });
    const tooMany = Array.from({ length: 101 }, (_, index) => String(index));
    expect((await demo.attempt(getStatementTrends, { appId: clinicId, ids: tooMany })).status).toBe(400);
  });
});

describe('invalid statistics requests', () => {
  let farm: TestClient;
  beforeEach(async () => {
    farm = await world.server.signIn('farm.dev', 'farm');
  });

  it.each([getStats, getStatsContext])(
    'refuses a request without a target, with two targets, or for another environment',
    async (endpoint) => {
      const neither = await demo.attempt(endpoint, {});
      expect(neither.status).toBe(400);
      expect(parseProblem(neither).message).toBe('The target is missing. Send an appId or a dataSource.');
      expect((await demo.attempt(endpoint, { appId: clinicId, dataSource: 'helium-app-1' })).status).toBe(400);
      expect((await demo.attempt(endpoint, { environment: 'Nowhere', appId: clinicId })).status).toBe(400);
    },
  );

  it('refuses an app that does not exist or belongs to another caller', async () => {
    for (const appId of [clinicId, '00000000-0000-4000-8000-000000000000']) {
      const response = await farm.attempt(getStats, { appId });
      expect(response.status).toBe(404);
      expect(parseProblem(response).message).toBe(`You have no app ${appId} in Production.`);
    }
  });

  it('refuses a data source that is not configured', async () => {
    const response = await demo.attempt(getStats, { dataSource: "helium'; drop table x; --" });
    expect(response.status).toBe(400);
    expect(parseProblem(response).message).toBe("There is no data source helium'; drop table x; -- in Production.");
    expect((await demo.attempt(getLastReset, { dataSource: 'nothing' })).status).toBe(400);
  });

  it('refuses an invalid range or text limit', async () => {
    for (const wrong of [{ range: 'century' }, { textLimit: 3 }]) {
      const body = JSON.stringify({ dataSource: 'helium-app-1', ...wrong });
      expect((await demo.send('POST', getStats.path, body)).status).toBe(400);
    }
  });
});

describe('statistics of an app whose schema was granted to a team', () => {
  it("are still found by the app's own role", async () => {
    const { rule } = await demo.call(getStatsContext, { appId: clinicId });
    const team = world.helium.teams[0]?.name ?? '';
    const { actions } = await demo.call(migrateApp, { appId: clinicId, teamUser: team });
    expect(actions.length).toBeGreaterThan(0);
    expect((await demo.call(getStatsContext, { appId: clinicId })).rule).toEqual(rule);
    await runAs('Clinic Visits', 'select reference as after_the_grant from clinic_visits_001.visit');
    await runAs('Clinic Visits', 'select status as after_the_grant from visit');
    const rows = await demo.call(getStats, { appId: clinicId, search: 'after_the_grant' });
    expect(rows.map(({ matched }) => matched)).toEqual(['role', 'role']);
    for (const { id } of rows)
      expect(await demo.call(explainStatement, { dataSource: 'helium-app-1', id })).toMatchObject({ reason: null });
  });
});
