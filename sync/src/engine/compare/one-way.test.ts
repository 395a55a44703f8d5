/** Where only one direction is on, both sides are compared: the source is followed, edits stay. */
import { randomUUID } from 'node:crypto';
import type { SyncConfig } from '@portal/contract/sync/config';
import { describe, expect, test } from 'vitest';
import { createOperations } from '../../operations/operations.ts';
import { requestLookAgain } from '../../sync-state/look-again.store.ts';
import { createWorldForEachTest, world } from '../testing/each-world.fixture.ts';
import {
  expectNoEcho,
  insertRegion,
  regionFields,
  renameRegion,
  waitForLog,
  waitUntil,
} from '../testing/fault-steps.fixture.ts';
import type { TestRun } from '../testing/restarting-run.fixture.ts';
import { quickRateLimiter } from '../testing/sync-integration.fixture.ts';

createWorldForEachTest();

const toJourneyOnly = (config: SyncConfig): SyncConfig => ({ ...config, enableJourneyToHelium: false });
const toHeliumOnly = (config: SyncConfig): SyncConfig => ({ ...config, enableHeliumToJourney: false });

const operations = () => createOperations(world.databases, quickRateLimiter());
const readQuestion = () => operations().readQuestion(world.integration);
const readDifferences = async () => (await operations().readDifferences(world.integration, { limit: 100 })).records;

async function requestComparison(run: TestRun): Promise<void> {
  await world.sql('update __portal_sync__.run set comparison_requested_at = now()');
  run.wake();
}

/** Compares, and returns the line of the log about regions. */
async function compare(run: TestRun): Promise<string | undefined> {
  const before = world.log.length;
  await requestComparison(run);
  const lines = () => world.log.slice(before).filter((line) => line.includes(' Compared '));
  await waitUntil(() => lines().some((line) => line.includes('Compared visit')));
  return lines().find((line) => line.includes('Compared region'));
}

/** Runs statements without the triggers that track changes, as a restore or a repair does. */
async function behindTheLog(sql: string): Promise<void> {
  const session = await world.helium.connect();
  await session.query(`set session_replication_role = replica; ${sql}; reset session_replication_role`);
}

const isInJourney = async (id: string, name: string) => (await world.journeyRows())[`region/${id}`]?.name === name;
const isInHelium = async (id: string, name: string) => (await world.heliumRows())[`region/${id}`]?.name === name;

const put = (id: string, name: string) => world.edit({ method: 'put', object: { type: 'region', id, name } });
const rename = (id: string, name: string) => world.edit({ method: 'patch', object: { type: 'region', id, name } });
const remove = (id: string) => world.edit({ method: 'delete', object: { type: 'region', id } });

describe('Helium to Journey only', () => {
  /** Starts with regions of these names, and returns their ids. */
  async function startWith(...names: string[]): Promise<{ readonly run: TestRun; readonly ids: readonly string[] }> {
    const run = world.start(toJourneyOnly);
    const ids: string[] = [];
    for (const name of names) ids.push(await insertRegion(world, name));
    await waitUntil(async () => Object.keys(await world.journeyRows()).length === names.length);
    await waitUntil(() => world.figures().changeLogVersion === String(names.length));
    return { run, ids };
  }

  test("sends what Helium's log does not report, with both values in the list", async () => {
    const { run, ids } = await startWith('renamed', 'deleted', 'unchanged');
    const [renamed = '', deleted = ''] = ids;
    const inserted = randomUUID();
    await behindTheLog(`update region set name = 'behind the log' where _id_ = '${renamed}';
      delete from region where _id_ = '${deleted}';
      insert into region (_id_, _tstamp_, name) values ('${inserted}', now(), 'new')`);
    expect(await compare(run)).toBe('WARNING Compared region: 4 records, 3 differed and were repaired.');
    await waitUntil(async () => Object.keys(await world.journeyRows()).length === 3);
    await waitUntil(() => isInJourney(inserted, 'new'));
    expect(await world.journeyRows()).toEqual(await world.heliumRows());
    expect(await world.conflicts()).toMatchObject([
      { id: renamed, column: 'name', helium: 'behind the log', journey: 'renamed', winner: 'helium' },
    ]);
    expect(await readDifferences()).toEqual([]);
  });

  test('leaves and lists what devices have edited, deleted or created, also after further comparisons', async () => {
    const { run, ids } = await startWith('edited', 'deleted', 'unchanged');
    const [edited = '', deleted = '', unchanged = ''] = ids;
    const created = randomUUID();
    await rename(edited, 'by a device');
    await remove(deleted);
    await put(created, 'of a device');
    const journey = await world.journeyRows();
    const helium = await world.heliumRows();
    const line =
      'INFO Compared region: 4 records, 2 differ on the side whose changes are not read, and nothing was changed.';
    expect(await compare(run)).toBe(line);
    const differences = await readDifferences();
    expect(differences).toHaveLength(2);
    expect(differences).toEqual(
      expect.arrayContaining([
        { table: 'region', id: edited, side: 'journey', kind: 'changed', foundAt: expect.any(String) },
        { table: 'region', id: deleted, side: 'journey', kind: 'missing', foundAt: expect.any(String) },
      ]),
    );
    expect(await compare(run)).toBe(line);
    expect(await readDifferences()).toEqual(differences);
    await expectNoEcho(world);
    expect([await world.journeyRows(), await world.heliumRows()]).toEqual([journey, helium]);
    expect(await operations().readDrift(world.integration)).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ table: 'region', drifted: 0, leftAsIs: 2 })]),
    );
    await rename(edited, 'edited');
    expect(await compare(run)).toContain('1 differs on the side');
    expect((await readDifferences()).map(({ id }) => id)).toEqual([deleted]);
    expect(await isInJourney(unchanged, 'unchanged')).toBe(true);
  });

  test("sends Helium's values of a listed record when an operator looks again, with the device's in the list", async () => {
    const { run, ids } = await startWith('edited', 'deleted', 'also edited');
    const [edited = '', deleted = '', alsoEdited = ''] = ids;
    await rename(edited, 'by a device');
    await rename(alsoEdited, 'by another one');
    await remove(deleted);
    await compare(run);
    const { rows } = await world.sql('select state_id from __portal_sync__.run');
    await requestLookAgain(
      world.helium.pool,
      rows[0]?.state_id,
      [edited, deleted].map((id) => ({ table: 'region', id })),
    );
    run.wake();
    await waitUntil(async () => (await isInJourney(edited, 'edited')) && (await isInJourney(deleted, 'deleted')));
    expect(await isInJourney(alsoEdited, 'by another one')).toBe(true);
    expect(await world.conflicts()).toMatchObject([
      { id: edited, column: 'name', helium: 'edited', journey: 'by a device', winner: 'helium' },
    ]);
    expect((await readDifferences()).map(({ id }) => id)).toEqual([alsoEdited]);
    expect(await compare(run)).toContain('1 differs on the side');
  });

  test('asks before it deletes many records that Helium no longer has, without a log entry', async () => {
    const { run } = await startWith('one', 'two');
    await behindTheLog('delete from region');
    await requestComparison(run);
    expect(await run.ended).toMatchObject({
      outcome: 'halted',
      reason: expect.stringContaining('no longer has 2 of the 2'),
    });
    expect(await readQuestion()).toMatchObject({ kind: 'deletions', side: 'journey', absent: 2, isSyncedBack: false });
    expect(Object.keys(await world.journeyRows())).toHaveLength(2);
  });

  test('asks before it clears all values of a field that Helium no longer has, without a log entry', async () => {
    const { run, ids } = await startWith('one', 'two');
    await behindTheLog('update region set name = null');
    await requestComparison(run);
    expect(await run.ended).toMatchObject({ outcome: 'halted' });
    expect(await readQuestion()).toMatchObject({ kind: 'clearings', side: 'journey', records: 2, isSyncedBack: false });
    expect(await isInJourney(ids[0] ?? '', 'one')).toBe(true);
  });

  test('does not send rows from before the version that it started from, and lists them', async () => {
    const before = await insertRegion(world, 'before');
    const run = world.start((config) => ({
      ...toJourneyOnly(config),
      heliumToJourney: { ...config.heliumToJourney, changeLogMinVersionAsString: '1' },
    }));
    Object.assign(world.integration.config.heliumToJourney, { changeLogMinVersionAsString: '1' });
    const after = await insertRegion(world, 'after');
    await waitUntil(() => isInJourney(after, 'after'));
    await waitUntil(() => world.figures().changeLogVersion === '2');
    expect(await compare(run)).toContain('1 differs on the side');
    expect(await readDifferences()).toMatchObject([{ id: before, side: 'journey', kind: 'unsynced' }]);
    expect(Object.keys(await world.journeyRows())).toEqual([`region/${after}`]);
  });

  test('lists what devices change of an object of which only one direction is on', async () => {
    const run = world.start((config) => ({
      ...config,
      journeyToHelium: { ...config.journeyToHelium, oplogSkipObjectTypes: ['region'] },
    }));
    const id = await insertRegion(world, 'first');
    await waitUntil(() => isInJourney(id, 'first'));
    await rename(id, 'by a device');
    await waitUntil(() => world.figures().changeLogVersion === '1');
    expect(await compare(run)).toContain('1 differs on the side');
    expect(await readDifferences()).toMatchObject([{ table: 'region', id, side: 'journey', kind: 'changed' }]);
    expect(await isInHelium(id, 'first')).toBe(true);
  });
});

describe('Journey to Helium only', () => {
  /** Starts with regions of these names, and returns their ids. */
  async function startWith(...names: string[]): Promise<{ readonly run: TestRun; readonly ids: readonly string[] }> {
    const run = world.start(toHeliumOnly);
    const ids = names.map(() => randomUUID());
    for (const [at, name] of names.entries()) await put(ids[at] ?? '', name);
    await waitUntil(async () => Object.keys(await world.heliumRows()).length === names.length);
    return { run, ids };
  }

  test("writes what Journey's log does not report", async () => {
    const { run, ids } = await startWith('renamed', 'deleted', 'unchanged');
    const [renamed = '', deleted = ''] = ids;
    await world.journeySql(
      `update object set contents = jsonb_set(contents, '{name}', '"behind the log"') where id = $1`,
      [renamed],
    );
    await world.journeySql('delete from object where id = $1', [deleted]);
    expect(await compare(run)).toBe('WARNING Compared region: 3 records, 2 differed and were repaired.');
    await waitUntil(async () => Object.keys(await world.heliumRows()).length === 2);
    await waitUntil(() => isInHelium(renamed, 'behind the log'));
    expect(await world.heliumRows()).toEqual(await world.journeyRows());
  });

  test('leaves and lists what people have edited, deleted or created in Helium', async () => {
    const { run, ids } = await startWith('edited', 'deleted', 'unchanged');
    const [edited = '', deleted = ''] = ids;
    await renameRegion(world, edited, 'by a person');
    await world.sql('delete from $s.region where _id_ = $1', [deleted]);
    await insertRegion(world, 'of a person');
    const [journey, helium] = [await world.journeyRows(), await world.heliumRows()];
    expect(await compare(run)).toBe(
      'INFO Compared region: 4 records, 2 differ on the side whose changes are not read, and nothing was changed.',
    );
    const differences = await readDifferences();
    expect(differences).toEqual(
      expect.arrayContaining([
        { table: 'region', id: edited, side: 'helium', kind: 'changed', foundAt: expect.any(String) },
        { table: 'region', id: deleted, side: 'helium', kind: 'missing', foundAt: expect.any(String) },
      ]),
    );
    expect(differences).toHaveLength(2);
    await expectNoEcho(world);
    expect([await world.journeyRows(), await world.heliumRows()]).toEqual([journey, helium]);
  });

  test('lists an edited row also after a device has edited another field of it', async () => {
    const { run, ids } = await startWith('first', 'other');
    const [edited = ''] = ids;
    await renameRegion(world, edited, 'by a person');
    await world.edit({ method: 'patch', object: { type: 'region', id: edited, code: 7 } });
    await waitUntil(async () => (await world.heliumRows())[`region/${edited}`]?.code === 7);
    expect(await compare(run)).toContain('1 differs on the side');
    expect(await world.heliumRows()).toMatchObject({ [`region/${edited}`]: regionFields('by a person', 7) });
    expect(await readDifferences()).toMatchObject([{ id: edited, side: 'helium', kind: 'changed' }]);
  });

  test('brings back a listed row that Helium has lost when an operator looks again', async () => {
    const { run, ids } = await startWith('lost', 'unchanged');
    const [lost = ''] = ids;
    await behindTheLog('delete from region');
    expect(await compare(run)).toContain('2 differ on the side');
    const { rows } = await world.sql('select state_id from __portal_sync__.run');
    await requestLookAgain(world.helium.pool, rows[0]?.state_id, [{ table: 'region', id: lost }]);
    run.wake();
    await waitUntil(() => isInHelium(lost, 'lost'));
    expect(Object.keys(await world.heliumRows())).toEqual([`region/${lost}`]);
    expect((await readDifferences()).map(({ id }) => id)).toEqual([ids[1]]);
  });

  test('compares and lists the rows at once after TRUNCATE, and leaves Journey as it is', async () => {
    const { ids } = await startWith('one', 'two');
    await world.sql('truncate $s.region cascade');
    await waitForLog(world, /Compared region: 2 records, 2 differ on the side/);
    expect((await readDifferences()).map(({ id, kind }) => [id, kind]).sort()).toEqual(
      ids.map((id) => [id, 'missing']).sort(),
    );
    expect(Object.keys(await world.journeyRows())).toHaveLength(2);
    expect(await world.heliumRows()).toEqual({});
  });

  test('asks before it deletes many rows that Journey no longer lists, without a log entry', async () => {
    const { run } = await startWith('one', 'two');
    await world.journeySql('delete from object', []);
    await requestComparison(run);
    expect(await run.ended).toMatchObject({
      outcome: 'halted',
      reason: expect.stringContaining('no longer has 2 of the 2'),
    });
    expect(await readQuestion()).toMatchObject({ kind: 'deletions', side: 'helium', absent: 2, isSyncedBack: false });
    expect(Object.keys(await world.heliumRows())).toHaveLength(2);
  });
});

test('asks nothing and lists nothing while records of one direction are written during a comparison', async () => {
  const run = world.start(toJourneyOnly);
  await world.sql(
    `insert into $s.region (_id_, _tstamp_, name) select gen_random_uuid(), now(), no from generate_series(1, 600) no`,
  );
  await world.waitUntilEqual();
  for (let round = 0; round < 3; round += 1) {
    const compared = compare(run);
    await world.sql(`update $s.region set name = name || '.', _tstamp_ = now()`);
    await compared;
  }
  await world.waitUntilEqual();
  expect(await compare(run)).toBe('INFO Compared region: 600 records, all equal.');
  expect(await readDifferences()).toEqual([]);
});
