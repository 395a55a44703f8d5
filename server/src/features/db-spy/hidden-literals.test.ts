import {
  explainStatement,
  getStatement,
  getStatementTrends,
  getStats,
  getStatsContext,
  getTopStats,
} from '@portal/contract/db-spy';
import { withClient } from '@portal/kit/postgres/pool';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestClient } from '../../testing/test-client.ts';
import { unpackNumbers } from './snapshots/snapshot-numbers.ts';
import { SnapshotSchedule } from './snapshots/snapshot-schedule.ts';
import { type StatisticsWorld, startStatisticsWorld } from './statistics-world.fixture.ts';

// cspell:ignore cret
const secret = 'S3cret-Marker-1';
const dataSource = 'helium-app-1';
const shownRole = `create role marker_r login password '***'`;

let world: StatisticsWorld;
let url: string;
let reader: TestClient;
let appId: string;

const run = (...statements: string[]) =>
  withClient({ connectionString: url }, async (client) => {
    for (const statement of statements) await client.query(statement);
  });

beforeAll(async () => {
  world = await startStatisticsWorld({ roles: [{ role: 'viewer', users: ['demo'] }] });
  url = world.superuserUrl(world.helium.dataSources[0].dbName);
  appId = world.helium.app('Clinic Visits').id;
  reader = await world.server.signIn('demo', 'demo');
  await run(
    `create role marker_r login password '${secret}'`,
    `do $$ begin perform 'clinic_visits_001', '${secret}'; end $$`,
    `comment on schema clinic_visits_001 is '${secret}'`,
  );
});
afterAll(async () => {
  await run('drop role marker_r');
  await world.stop();
});

const findRole = async () => {
  const [row] = await reader.call(getStats, { dataSource, search: 'create role marker_r password' });
  if (!row) throw new Error('the statement is not in the statistics');
  return row;
};
const withoutSecret = (response: unknown) => expect(JSON.stringify(response)).not.toMatch(/s3cret|marker-1/i);

it('statistics show the statement that sets a password without the password', async () => {
  expect((await findRole()).query).toBe(shownRole);
  for (const target of [{ dataSource }, { appId }])
    for (const range of ['reset', 'hour'] as const) {
      const rows = await reader.call(getStats, { ...target, range, withOwn: true });
      expect(rows.some(({ query }) => query.includes('***'))).toBe(true);
      withoutSecret(rows);
      withoutSecret(await reader.call(getStats, { ...target, range, textLimit: 45 }));
    }
});

it('statistics do not find a statement by what is hidden in it', async () => {
  for (const search of [secret, 's3c', 'marker-1'])
    for (const range of ['reset', 'hour'] as const) {
      expect(await reader.call(getStats, { dataSource, range, search })).toEqual([]);
      const top = { dataSource, range, search, metric: 'calls', order: 'descending', limit: 10 } as const;
      expect(await reader.call(getTopStats, top)).toMatchObject({ rows: [], count: 0 });
    }
});

it('the first statements by a metric are shown without passwords', async () => {
  const request = { dataSource, metric: 'calls', order: 'descending', limit: 10_000 } as const;
  const top = await reader.call(getTopStats, request);
  expect(top.rows.some(({ query }) => query === shownRole)).toBe(true);
  withoutSecret(top);
});

it('one statement in full is shown without its password', async () => {
  const { id } = await findRole();
  expect(await reader.call(getStatement, { dataSource, id })).toEqual({ query: shownRole });
});

it('a plan, and the reason why there is none, contain no password', async () => {
  const { id } = await findRole();
  const result = await reader.call(explainStatement, { dataSource, id });
  // Not that its role is none of an app: no role could plan it.
  expect(result).toEqual({
    plan: null,
    reason:
      'Only SELECT, INSERT, UPDATE, DELETE, MERGE, VALUES, WITH, TABLE, DECLARE, and CREATE TABLE AS statements have a plan.',
    note: null,
  });
  withoutSecret(result);
});

it('a query that the server recorded with its values has no plan', async () => {
  // A statement whose entry is reset while it runs is recorded as it was sent.
  const { url: asApp } = world.helium.app('Clinic Visits');
  const role = pg.escapeIdentifier(decodeURIComponent(new URL(asApp).username));
  await run(`grant execute on function pg_stat_statements_reset to ${role}`);
  await withClient({ connectionString: asApp }, (client) =>
    client.query(`select public.pg_stat_statements_reset(), '${secret}' as marker_value`),
  );
  const [row] = await reader.call(getStats, { dataSource, search: 'marker_value' });
  expect(row?.query).toBe(`select public.pg_stat_statements_reset(), '***' as marker_value`);
  expect(await reader.call(explainStatement, { dataSource, id: row?.id ?? '' })).toEqual({
    plan: null,
    reason: 'The portal hides values of this statement, so the server cannot plan it.',
    note: null,
  });
});

it('snapshots store neither texts nor the hashes of texts, and trends find their statements', async () => {
  const { pool, logger, environments, appDatabases } = world.server.dependencies;
  for (const hoursAgo of [2, 1]) {
    const now = () => new Date(Date.now() - hoursAgo * 3_600_000);
    await new SnapshotSchedule({ pool, logger, environments, appDatabases, now }).tick();
  }
  const { rows } = await pool.query<{ numbers: Buffer }>(
    'select numbers from statement_snapshot where data_source = $1',
    [dataSource],
  );
  const hashes = await withClient({ connectionString: url }, (client) =>
    client.query<{ queryid: string }>('select queryid::text from pg_stat_statements'),
  );
  const hashed = new Set(hashes.rows.map(({ queryid }) => queryid));
  for (const { numbers } of rows)
    for (const id of (await unpackNumbers(numbers)).keys()) {
      expect(id).toMatch(/^[0-9a-f]{32}$/);
      expect([...hashed].some((hash) => hash !== '' && id.includes(hash))).toBe(false);
    }
  const stats = await reader.call(getStats, { dataSource, search: 'marker_value' });
  const trends = await reader.call(getStatementTrends, { dataSource, ids: stats.map(({ id }) => id) });
  expect(trends.trends).toMatchObject([{ id: stats[0]?.id }]);
  withoutSecret(trends);
});

it('the context, the log and the audit trail contain no password of a statement', async () => {
  withoutSecret(await reader.call(getStatsContext, { dataSource }));
  withoutSecret(world.server.logged());
  const { rows } = await world.server.dependencies.pool.query('select to_jsonb(audit_entry) from audit_entry');
  withoutSecret(rows);
});
