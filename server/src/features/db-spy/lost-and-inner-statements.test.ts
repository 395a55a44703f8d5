import {
  explainStatement,
  getStatement,
  getStats,
  getTopStats,
  otherApps,
  type StatRow,
} from '@portal/contract/db-spy';
import { withClient } from '@portal/kit/postgres/pool';
import { discardTexts } from '@portal/platforms/helium-database/statistics/discarded-texts.fixture';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestClient } from '../../testing/test-client.ts';
import { SnapshotSchedule } from './snapshots/snapshot-schedule.ts';
import { type StatisticsWorld, startStatisticsWorld } from './statistics-world.fixture.ts';

const dataSource = 'helium-app-1';
const text = '<text discarded by the server>';

let world: StatisticsWorld;
let demo: TestClient;
let farmer: TestClient;
let clinicId: string;
let superuserUrl: string;

const runAs = (name: string, ...statements: string[]) =>
  withClient({ connectionString: world.helium.app(name).url }, async (client) => {
    for (const statement of statements) await client.query(statement);
  });

beforeAll(async () => {
  world = await startStatisticsWorld();
  demo = await world.server.signIn('demo', 'demo');
  farmer = await world.server.signIn('farm.dev', 'farm');
  clinicId = world.helium.app('Clinic Visits').id;
  superuserUrl = world.superuserUrl(world.helium.dataSources[0].dbName);
});
afterAll(() => world.stop());

const sumShares = (rows: readonly StatRow[]) =>
  rows.filter(({ isInner }) => !isInner).reduce((sum, { share }) => sum + share, 0);

it('statements that ran inside others are marked, and no share or rest counts their time twice', async () => {
  await runAs(
    'Clinic Visits',
    `create function count_nurses() returns int language plpgsql as $$
       declare found int := 0;
       begin for at in 1 .. 200 loop select count(*) into found from nurse where badge <> at::text; end loop; return found; end $$`,
  );
  const role = pg.escapeIdentifier(decodeURIComponent(new URL(world.helium.app('Clinic Visits').url).username));
  await withClient({ connectionString: superuserUrl }, (client) =>
    client.query(`alter role ${role} set pg_stat_statements.track = 'all'`),
  );
  await runAs('Clinic Visits', 'select count_nurses()');
  for (const range of ['reset', 'hour'] as const) {
    for (const target of [{ dataSource }, { appId: clinicId }]) {
      const rows = await demo.call(getStats, { ...target, range });
      expect(sumShares(rows)).toBeCloseTo(1, 9);
      const inner = rows.find(({ query }) => query.includes('where badge <> at'));
      expect(inner).toMatchObject({ isInner: true, calls: 200 });
      expect(rows.find(({ query }) => query === 'select count_nurses()')).not.toHaveProperty('isInner');
    }
    const others = (await farmer.call(getStats, { dataSource, range })).find(({ id }) => id === otherApps.id);
    expect(others?.share).toBeLessThanOrEqual(1);
  }
});

it('statements without their texts keep their numbers in tables, charts, apps and other apps', async () => {
  const { pool, logger, environments, appDatabases } = world.server.dependencies;
  await new SnapshotSchedule({ pool, logger, environments, appDatabases, now: () => new Date() }).tick();
  await runAs('Clinic Visits', 'select badge as kept from nurse', 'select badge as kept from nurse');
  const find = async () => (await demo.call(getStats, { appId: clinicId, search: 'as kept' }))[0];
  const id = (await find())?.id ?? '';
  const before = await farmer.call(getStats, { dataSource });
  await discardTexts(superuserUrl);

  expect(await find()).toBeUndefined();
  for (const range of ['reset', 'hour'] as const) {
    for (const target of [{ dataSource }, { appId: clinicId }]) {
      const rows = await demo.call(getStats, { ...target, range });
      expect(rows.find((row) => row.id === id)).toMatchObject({ query: text, hasNoText: true, calls: 2 });
      expect(sumShares(rows)).toBeCloseTo(1, 9);
      const request = { ...target, range, metric: 'calls', order: 'descending', limit: 10_000 } as const;
      const top = await demo.call(getTopStats, request);
      expect(top.rows.find((row) => row.id === id)).toMatchObject({ query: text, hasNoText: true, calls: 2 });
    }
  }
  const others = (rows: readonly StatRow[]) => rows.find((row) => row.id === otherApps.id)?.calls ?? 0;
  expect(others(await farmer.call(getStats, { dataSource }))).toBeGreaterThanOrEqual(others(before));
  expect(await demo.call(getStatement, { dataSource, id })).toEqual({ query: text });
  expect(await demo.call(explainStatement, { dataSource, id })).toEqual({
    plan: null,
    reason: 'The server has discarded the text of this statement, so it cannot plan it.',
    note: null,
  });
  expect((await farmer.attempt(getStatement, { dataSource, id })).status).toBe(404);
});
