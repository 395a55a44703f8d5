import { Secret } from '@portal/kit/secret';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppDatabases } from '../../../platform/app-databases.ts';
import { Environments } from '../../../platform/environments.ts';
import { type SmallWorld, startSmallWorld } from '../../../testing/small-world.ts';
import { unpackNumbers } from './snapshot-numbers.ts';
import { SnapshotSchedule } from './snapshot-schedule.ts';
import { addSnapshot, findSnapshot, listSnapshots, thinSnapshots } from './snapshots.store.ts';

const minuteMs = 60_000;
const source = { environment: 'Production', dataSource: 'helium-app-1' };
const other = { environment: 'Production', dataSource: 'helium-app-2' };

let world: SmallWorld;
let nowMs: number;

beforeAll(async () => {
  world = await startSmallWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  nowMs = Date.parse('2026-11-21T12:00:00Z');
  await pool().query('truncate statement_snapshot, statement_source');
});

const pool = () => world.server.dependencies.pool;
const now = () => new Date(nowMs);
const schedule = () => new SnapshotSchedule({ ...world.server.dependencies, now });
const pass = (minutes: number) => {
  nowMs += minutes * minuteMs;
};

async function takenOf({ dataSource }: typeof source): Promise<string[]> {
  const { rows } = await pool().query<{ at: string }>(
    `select to_char(taken_at at time zone 'UTC', 'DD HH24:MI') as at from statement_snapshot
     where data_source = $1 order by taken_at`,
    [dataSource],
  );
  return rows.map(({ at }) => at);
}

describe('statistics snapshots', () => {
  it('takes snapshots hourly', async () => {
    const one = schedule();
    for (let minute = 0; minute <= 125; minute += 5) {
      await one.tick();
      pass(5);
    }
    expect(await takenOf(source)).toEqual(['21 12:00', '21 13:00', '21 14:00']);
    expect(await takenOf(other)).toEqual(['21 12:00', '21 13:00', '21 14:00']);
  });

  it('takes snapshots every five minutes while statistics are viewed on any node', async () => {
    const [one, two] = [schedule(), schedule()];
    await one.tick();
    pass(2);
    await two.noteView(source);
    for (let minute = 2; minute <= 20; minute += 1) {
      await one.tick();
      pass(1);
    }
    expect(await takenOf(source)).toEqual(['21 12:00', '21 12:05']);
    expect(await takenOf(other)).toEqual(['21 12:00']);
    await two.noteView(source);
    await one.tick();
    expect(await takenOf(source)).toEqual(['21 12:00', '21 12:05', '21 12:21']);
  });

  it('takes snapshots on only one of many nodes', async () => {
    await Promise.all([schedule(), schedule(), schedule(), schedule()].map((node) => node.tick()));
    expect(await takenOf(source)).toEqual(['21 12:00']);
  });

  it('contain the counters of all statements', async () => {
    await schedule().tick();
    const found = await findSnapshot(pool(), source, now());
    const statements = await unpackNumbers(found?.numbers ?? Buffer.alloc(0));
    expect(statements.size).toBeGreaterThan(10);
    for (const { calls, total_time } of statements.values()) {
      expect(calls).toBeGreaterThan(0);
      expect(total_time).toBeGreaterThanOrEqual(0);
    }
  });

  it('a failed snapshot is logged once, retried every minute, and does not delay others', async () => {
    const dead = { heliumDataSourceName: 'dead', hostname: 'x', dbName: 'x', url: 'postgres://x@127.0.0.1:1/x' };
    const { config, logger } = world.server.dependencies;
    const [production] = config.environments;
    if (!production) throw new Error('the world has no environment');
    const [first] = production.dataSources;
    if (!first) throw new Error('the environment has no data source');
    const deadSource = { ...first, ...dead, url: Object.assign(Object.create(first.url), { reveal: () => dead.url }) };
    const environments = new Environments([{ ...production, dataSources: [deadSource, first] }], { timeoutMs: 1_000 });
    const key = new Secret('0'.repeat(64));
    const appDatabases = new AppDatabases(environments.all, { appLogins: key, statementIds: key });
    const countWarnings = () => world.server.logged().split('could not take a statistics snapshot').length - 1;
    const node = new SnapshotSchedule({ pool: pool(), logger, environments, appDatabases, now });
    const before = countWarnings();
    for (let minute = 0; minute < 3; minute += 1) {
      await node.tick();
      pass(1);
    }
    await appDatabases.stop();
    expect(countWarnings() - before).toBe(1);
    expect(await takenOf(source)).toEqual(['21 12:00']);
    const { rows } = await pool().query(`select tried_at from statement_source where data_source = 'dead'`);
    expect(rows).toEqual([{ tried_at: new Date('2026-11-21T12:02:00Z') }]);
  });
});

describe('snapshot retention', () => {
  const addAt = (at: string, kind: 'scheduled' | 'before reset' = 'scheduled') =>
    addSnapshot(pool(), source, {
      takenAt: new Date(`2026-${at}:00Z`),
      kind,
      statsReset: null,
      serverStartedAt: now(),
      numbers: Buffer.from('x'),
    });

  it('keeps one snapshot an hour after two days and none after thirty, except those before a reset', async () => {
    await addAt('10-22T11:59');
    await addAt('10-22T12:01');
    for (const minute of ['00', '05', '55']) await addAt(`11-18T10:${minute}`);
    await addAt('11-18T10:56', 'before reset');
    await addAt('11-18T11:02');
    for (const minute of ['00', '05']) await addAt(`11-20T10:${minute}`);
    await thinSnapshots(pool(), source, now());
    expect(await takenOf(source)).toEqual(['22 12:01', '18 10:00', '18 10:56', '18 11:02', '20 10:00', '20 10:05']);
  });

  it('finds the newest snapshot that is old enough, or else the oldest', async () => {
    for (const at of ['11-20T10:00', '11-20T11:00', '11-21T09:00']) await addAt(at);
    const found = async (at: string) =>
      (await findSnapshot(pool(), source, new Date(`2026-${at}:00Z`)))?.takenAt.toISOString().slice(8, 16);
    expect(await found('11-20T11:00')).toBe('20T11:00');
    expect(await found('11-21T08:59')).toBe('20T11:00');
    expect(await found('11-25T00:00')).toBe('21T09:00');
    expect(await found('11-01T00:00')).toBe('20T10:00');
    expect(await findSnapshot(pool(), other, now())).toBeUndefined();
  });

  it('divides a period into intervals of similar length', async () => {
    const at = (text: string) => new Date(`2026-11-${text}:00Z`);
    const divide = async (from: string, to: string, intervals: number) =>
      (await listSnapshots(pool(), source, { from: at(from), to: at(to), intervals })).map(({ takenAt }) =>
        takenAt.toISOString().slice(8, 16),
      );
    expect(await divide('20T00:00', '21T00:00', 3)).toEqual([]);
    for (const hour of ['10', '11', '12', '13', '14']) {
      await addAt(`11-20T${hour}:00`);
      await addAt(`11-20T${hour}:05`);
    }
    expect(await divide('20T10:00', '20T14:30', 3)).toEqual(['20T10:00', '20T11:05', '20T13:00', '20T14:05']);
    expect(await divide('19T00:00', '20T14:00', 4)).toEqual([
      '20T10:00',
      '20T11:00',
      '20T12:00',
      '20T13:00',
      '20T14:00',
    ]);
    // More intervals than snapshots, and a beginning between two of them.
    expect(await divide('20T13:02', '20T15:00', 12)).toEqual(['20T13:00', '20T13:05', '20T14:00', '20T14:05']);
    expect(await divide('21T00:00', '21T12:00', 4)).toEqual(['20T14:05']);
  });
});
