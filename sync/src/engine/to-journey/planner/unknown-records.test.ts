/**
 * Helium sends records of which the engine knows nothing, and Journey has them already: with fields
 * that Helium has no columns for, and with other values.
 */
import type { SyncConfig } from '@portal/contract/sync/config';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasState, prepareState } from '../../../sync-state/schema.ts';
import {
  deleteRegion,
  expectAtRest,
  findInJourney,
  insertRegion,
  renameRegion,
  waitForLog,
  waitUntil,
} from '../../testing/fault-steps.fixture.ts';
import { type ResponseProxy, startResponseProxy } from '../../testing/response-proxy.fixture.ts';
import { createSyncWorld, type SyncWorld, worldSchemaXml } from '../../testing/sync-world.fixture.ts';
import { intentsUnderWay } from '../../testing/world-rows.fixture.ts';

let world: SyncWorld;
let proxy: ResponseProxy;

const journeyOnly = `<field name="memo" label="Memo" type="text"/><field name="home" label="Home" type="location"/>`;
const schemaXml = worldSchemaXml.replace('<field name="code"', `${journeyOnly}<field name="code"`);
const home = { latitude: -33.9, longitude: 18.4 };
const id = 'b0000000-0000-4000-8000-000000000001';

beforeEach(async () => {
  world = await createSyncWorld({ schemaXml });
  proxy = await startResponseProxy(world);
});
afterEach(async () => {
  await world.stop();
  await proxy.stop();
});

type Change = (config: SyncConfig) => SyncConfig;
const all =
  (...changes: Change[]): Change =>
  (config) =>
    changes.reduce((changed, change) => change(changed), proxy.through(config));
const toJourneyOnly: Change = (config) => ({ ...config, enableJourneyToHelium: false });
const skipRegions: Change = (config) => ({
  ...config,
  journeyToHelium: { ...config.journeyToHelium, oplogSkipObjectTypes: ['region'] },
});
const fromVersions =
  (changeLog: string, opLog: string): Change =>
  (config) => ({
    ...config,
    heliumToJourney: { ...config.heliumToJourney, changeLogMinVersionAsString: changeLog },
    journeyToHelium: { ...config.journeyToHelium, oplogMinVersionAsString: opLog },
  });
const withPolicy =
  (conflictPolicy: SyncConfig['conflictPolicy']): Change =>
  (config) => ({ ...config, conflictPolicy });

/** Helium's row of two days ago, and Journey's corrected object: entry 1 of each log. */
async function createOnBothSides(): Promise<void> {
  await world.sql(
    `insert into $s.region (_id_, _tstamp_, name) values ($1, timezone('UTC', now()) - interval '2 days', 'old name')`,
    [id],
  );
  await putObject({ name: 'corrected', code: 7, memo: 'only here', home });
}

const putObject = (fields: object) => world.edit({ method: 'put', object: { type: 'region', id, ...fields } });
const touchRow = () => world.sql('update $s.region set _tstamp_ = _tstamp_ where _id_ = $1', [id]);

/** Journey's object with all of its fields; null when there is none. */
const readObject = () => findInJourney(world, 'region', id);

const lookUps = () => proxy.calls.filter((call) => call === 'POST objects/region/query.json').length;
const readRow = async () => (await world.sql('select name, code from $s.region where _id_ = $1', [id])).rows[0];
/** Waits until the change log is read to its end and all writes are answered. */
async function waitUntilSent(): Promise<void> {
  await waitUntil(() => hasState(world.helium.pool));
  await waitUntil(async () => {
    const { rows } = await world.sql(
      `select (select count(*)::int from ${intentsUnderWay}) as intents,
         change_log_cursor = (select max(seq) from $s.__he_sync_obj_change__) as is_read,
         snapshot_to_journey is null and open_calls = '{}' as is_idle
       from __portal_sync__.run order by state_id desc limit 1`,
    );
    return rows[0]?.intents === 0 && rows[0].is_read && rows[0].is_idle;
  });
}

describe('a record that both sides have', () => {
  test('keeps what only Journey has when only Helium to Journey is on', async () => {
    await createOnBothSides();
    world.start(all(toJourneyOnly));
    await waitUntilSent();
    expect(await readObject()).toMatchObject({ name: 'old name', code: 7, memo: 'only here', home });
    expect(await world.conflicts()).toMatchObject([
      { id, column: 'name', helium: 'old name', journey: 'corrected', winner: 'helium' },
    ]);
    expect(await readRow()).toEqual({ name: 'old name', code: null });
    // Later writes are patches of what Helium has changed.
    await renameRegion(world, id, 'renamed');
    await waitUntil(async () => (await readObject())?.name === 'renamed');
    expect(await readObject()).toMatchObject({ code: 7, memo: 'only here', home });
    expect(lookUps()).toBe(1);
    await world.sql('update $s.region set code = 1 where _id_ = $1', [id]);
    await waitUntil(async () => (await readObject())?.code === 1);
    await world.sql('update $s.region set code = null where _id_ = $1', [id]);
    await waitUntil(async () => (await readObject())?.code === null);
  });

  test('keeps what only Journey has when its object type is skipped', async () => {
    await createOnBothSides();
    world.start(all(skipRegions));
    await waitUntilSent();
    expect(await readObject()).toMatchObject({ name: 'old name', code: 7, memo: 'only here', home });
    expect(await world.conflicts()).toMatchObject([{ column: 'name', helium: 'old name', journey: 'corrected' }]);
    expect(await readRow()).toEqual({ name: 'old name', code: null });
  });

  const merged = { name: 'corrected', code: 7 };
  async function expectMerged(): Promise<void> {
    await expectAtRest(world, { [`region/${id}`]: merged });
    expect(await readObject()).toMatchObject({ ...merged, memo: 'only here', home });
    expect(await world.conflicts()).toMatchObject([
      { id, column: 'name', helium: 'old name', journey: 'corrected', winner: 'journey' },
    ]);
  }

  test('is merged when Helium writes it after the given versions', async () => {
    await createOnBothSides();
    world.start(all(fromVersions('1', '1')));
    await touchRow();
    await expectMerged();
    expect(lookUps()).toBe(1);
  });

  test('is merged when only the change log is read from version 0', async () => {
    await createOnBothSides();
    world.start(all(fromVersions('0', '1')));
    await expectMerged();
    expect(lookUps()).toBe(1);
  });

  test('is merged after the state in Helium was lost', async () => {
    const given = all(fromVersions('1', '1'));
    await createOnBothSides();
    const run = world.start(given);
    await touchRow();
    await world.waitUntilEqual();
    await run.stop();
    await world.sql('drop schema __portal_sync__ cascade');
    await prepareState(world.helium.pool);
    await world.sql(
      `update $s.region set name = 'of today', code = null, _tstamp_ = timezone('UTC', now()) + interval '1 minute'`,
    );
    world.start(given);
    await expectAtRest(world, { [`region/${id}`]: { name: 'of today', code: 7 } });
    expect(await readObject()).toMatchObject({ memo: 'only here', home });
    expect(await world.conflicts()).toMatchObject([{ column: 'name', helium: 'of today', journey: 'corrected' }]);
  });

  test('is merged from version 0, without a look-up', async () => {
    await createOnBothSides();
    world.start(all());
    await expectMerged();
    // The full read of Journey lists its objects.
    expect(lookUps()).toBe(1);
  });

  test('is merged when the integration moved to another deployment and begins with the given versions', async () => {
    await createOnBothSides();
    const given = all(fromVersions('1', '1'));
    const run = world.start(given);
    await waitForLog(world, /Running/);
    await run.stop();
    await world.sql(`update __portal_sync__.run set state_key = 'of the earlier deployment'`);
    world.start(given);
    await touchRow();
    await waitUntil(async () => (await readRow())?.code === 7);
    expect(await readObject()).toMatchObject({ ...merged, memo: 'only here', home });
  });

  test.each(['helium', 'journey'] as const)(
    'is merged by the policy %s, with both values in the conflicts',
    async (policy) => {
      await createOnBothSides();
      world.start(all(fromVersions('1', '1'), withPolicy(policy)));
      await touchRow();
      await expectAtRest(world, {
        [`region/${id}`]: { name: policy === 'helium' ? 'old name' : 'corrected', code: 7 },
      });
      expect(await readObject()).toMatchObject({ memo: 'only here', home });
      expect(await world.conflicts()).toMatchObject([{ helium: 'old name', journey: 'corrected', winner: policy }]);
    },
  );

  test('keeps what a device made again while its object was not read', async () => {
    const run = world.start(all());
    await insertRegion(world, 'ours', null, id);
    await world.waitUntilEqual();
    await world.edit({ method: 'delete', object: { type: 'region', id } });
    await waitUntil(async () => (await readRow()) === undefined);
    await run.stop();
    await putObject({ name: 'made again', memo: 'only here', home });
    world.start(all(toJourneyOnly));
    await insertRegion(world, 'ours again', null, id);
    await waitUntil(async () => (await readObject())?.name === 'ours again');
    expect(await readObject()).toMatchObject({ memo: 'only here', home });
    expect(await world.conflicts()).toMatchObject([{ column: 'name', helium: 'ours again', journey: 'made again' }]);
  });
});

describe('what is known of Journey', () => {
  const completeTables = async () =>
    (await world.sql('select complete_tables from __portal_sync__.run')).rows[0].complete_tables.sort();

  test('is incomplete while its changes are not read', async () => {
    const tables = ['farmer', 'region', 'visit'];
    let run = world.start(all());
    await world.waitUntilEqual();
    await waitUntil(async () => (await completeTables()).length === 3);
    expect(await completeTables()).toEqual(tables);
    await run.stop();

    await putObject({ name: 'of a device', memo: 'only here', home });
    run = world.start(all(toJourneyOnly));
    await insertRegion(world, 'ours', null, id);
    await waitUntil(async () => (await readObject())?.name === 'ours');
    expect(await completeTables()).toEqual([]);
    expect(await readObject()).toMatchObject({ memo: 'only here', home });
    expect(await world.conflicts()).toMatchObject([{ helium: 'ours', journey: 'of a device', winner: 'helium' }]);
    await run.stop();

    run = world.start(all(skipRegions));
    await waitUntil(async () => (await completeTables()).length === 2);
    expect(await completeTables()).toEqual(['farmer', 'visit']);
    await run.stop();

    world.start(all());
    await world.waitUntilEqual();
    await waitUntil(async () => (await completeTables()).length === 3);
  });

  test('is incomplete while its object is paused', async () => {
    world.start(all());
    await world.waitUntilEqual();
    await waitUntil(async () => (await completeTables()).length === 3);
    await world.deployment.deploy(schemaXml.replace('<field name="code" label="Code" type="integer"/>', ''));
    await putObject({ name: 'of a device' });
    await waitForLog(world, /region is paused/);
    await waitUntil(async () => (await completeTables()).length === 2);
    expect(await completeTables()).toEqual(['farmer', 'visit']);
  });

  test('does not include a column that is newly synced in one direction', async () => {
    world.start(all(toJourneyOnly));
    await insertRegion(world, 'ours', null, id);
    await waitUntil(async () => (await readObject()) !== null);
    await world.edit({ method: 'patch', object: { type: 'region', id, memo: 'of a device' } });
    await world.sql('alter table $s.region add column memo text');
    await waitForLog(world, /region.memo: It is now synced/);
    await world.sql(`update $s.region set memo = 'of Helium' where _id_ = $1`, [id]);
    await waitUntil(async () => (await readObject())?.memo === 'of Helium');
    expect(await world.conflicts()).toMatchObject([
      { id, column: 'memo', helium: 'of Helium', journey: 'of a device', winner: 'helium' },
    ]);
    expect(await readObject()).toMatchObject({ name: 'ours' });
  });
});

describe('while records are looked up', () => {
  const isLookUp = (path: string) => path.endsWith('/objects/region/query.json');

  test('a device creates the record: mapped values are merged', async () => {
    await insertRegion(world, 'first');
    await world.edit({ method: 'put', object: { type: 'farmer', id, name: 'first' } });
    const { held, release } = proxy.hold(isLookUp);
    world.start(all(fromVersions('1', '1')));
    await insertRegion(world, 'ours', null, id);
    await held;
    await putObject({ name: 'theirs', code: 7 });
    release();
    await waitUntil(async () => (await readRow())?.code === 7);
    await waitUntil(async () => (await readObject())?.code === 7);
    await waitUntilSent();
    expect((await readObject())?.name).toBe((await readRow()).name);
    expect(await world.conflicts()).toMatchObject([{ id, column: 'name', helium: 'ours', journey: 'theirs' }]);
  });

  test.each([
    ['both directions', []],
    ['one direction', [toJourneyOnly]],
  ])('the integration can be stopped, and continues later (%s)', async (_, changes) => {
    await createOnBothSides();
    const { held, release } = proxy.hold(isLookUp);
    const run = world.start(all(fromVersions('1', '1'), ...changes));
    await touchRow();
    await held;
    await run.stop();
    release();
    expect(await readObject()).toMatchObject({ name: 'corrected', code: 7 });
    world.start(all(fromVersions('1', '1'), ...changes));
    await waitUntilSent();
    expect(await readObject()).toMatchObject({ code: 7, memo: 'only here', home });
    expect(await world.conflicts()).toHaveLength(1);
  });

  test.each([
    ['the change log', '1'],
    ['a full read', '0'],
  ])('the data model changes: the page of %s is planned again', async (_, changeLog) => {
    await createOnBothSides();
    const { held, release } = proxy.hold(isLookUp);
    world.start(all(fromVersions(changeLog, '1'), toJourneyOnly));
    await touchRow();
    await held;
    await world.sql('alter table $s.region add column memo text');
    await waitForLog(world, /region.memo: It is now synced/);
    release();
    await waitUntilSent();
    expect(await readObject()).toMatchObject({ name: 'old name', code: 7, memo: 'only here', home });
    expect(await world.conflicts()).toMatchObject([{ column: 'name', helium: 'old name', journey: 'corrected' }]);
  });
});

describe('a record that Helium deleted after the given versions', () => {
  const day = 24 * 3_600_000;
  const logDeletionAt = (atMs: number) =>
    world.sql(
      `insert into $s.__he_sync_transaction_log__ (tx_id, tx_tstamp, seq_before, seq_after)
       select tx_id, to_timestamp($1), seq, seq from $s.__he_sync_obj_change__ where change = 'delete'`,
      [atMs / 1000],
    );

  test.each([[], [toJourneyOnly]])(
    'is deleted in Journey, without a conflict (one direction only: %#)',
    async (...changes) => {
      await createOnBothSides();
      await deleteRegion(world, id);
      world.start(all(fromVersions('1', '1'), ...changes));
      await waitUntil(async () => (await readObject()) === null);
      await waitUntilSent();
      expect(await world.conflicts()).toEqual([]);
      // A device makes it again: nothing of the deletion is left.
      await putObject({ name: 'made again' });
      if (changes.length > 0) return;
      await waitUntil(async () => (await readRow())?.name === 'made again');
    },
  );

  test.each(['later', 'journey', 'helium'] as const)(
    'is subject to the policy %s when Journey edited it after that',
    async (policy) => {
      await createOnBothSides();
      await deleteRegion(world, id);
      await logDeletionAt(Date.now() - day);
      world.start(all(fromVersions('1', '1'), withPolicy(policy)));
      const isRetained = policy !== 'helium';
      await expectAtRest(world, isRetained ? { [`region/${id}`]: { name: 'corrected', code: 7 } } : {});
      const object = await readObject();
      if (isRetained) expect(object).toMatchObject({ memo: 'only here', home });
      else expect(object).toBeNull();
      expect(await world.conflicts()).toMatchObject([
        {
          id,
          column: null,
          helium: null,
          journey: { name: 'corrected', code: 7 },
          winner: isRetained ? 'journey' : 'helium',
        },
      ]);
    },
  );

  test('needs no write when Journey does not have it', async () => {
    await insertRegion(world, 'never sent', null, id);
    await deleteRegion(world, id);
    world.start(all(fromVersions('1', '0')));
    await waitUntilSent();
    expect(proxy.calls).not.toContain('POST batch.json');
  });
});

describe('calls to Journey', () => {
  const rowCount = 2_300;
  const makeRegions = () =>
    world.sql(
      `insert into $s.region (_id_, _tstamp_, name)
       select md5(no::text)::uuid, now(), 'region ' || no from generate_series(1, ${rowCount}) no`,
    );
  const batches = () => proxy.calls.filter((call) => call === 'POST batch.json').length;

  test('include no look-up after both sides were read in full', async () => {
    const run = world.start(all());
    await waitForLog(world, /Helium → Journey: full read complete/);
    await makeRegions();
    await world.waitUntilEqual();
    await deleteRegion(world, (await world.sql('select _id_ from $s.region limit 1')).rows[0]._id_);
    await world.waitUntilEqual();
    await run.stop();
    world.start(all());
    await insertRegion(world, 'after a restart');
    await expectAtRest(world, {});
    // The full read of Journey lists its objects.
    expect(lookUps()).toBe(1);
    expect(batches()).toBe(Math.ceil(rowCount / 1_000) + 2);
  });

  test.each([
    ['both directions', []],
    ['one direction', [toJourneyOnly]],
  ])('include one look-up for each page of the change log, with full batches (%s)', async (_, changes) => {
    await createOnBothSides();
    await makeRegions();
    world.start(all(fromVersions('1', '1'), ...changes));
    await waitUntilSent();
    expect(Object.keys(await world.journeyRows())).toHaveLength(rowCount + 1);
    expect(batches()).toBe(Math.ceil(rowCount / 1_000));
    expect(lookUps()).toBe(Math.ceil(rowCount / 1_000));
  });

  test('include one look-up for each page of a full read in one direction', async () => {
    await makeRegions();
    world.start(all(toJourneyOnly));
    await waitUntilSent();
    expect(lookUps()).toBe(Math.ceil(rowCount / 1_000));
    expect(batches()).toBe(Math.ceil(rowCount / 1_000));
  });

  test.each([
    ['both directions', []],
    ['one direction', [toJourneyOnly]],
  ])('send nothing while look-ups fail (%s)', async (_, changes) => {
    await createOnBothSides();
    world.journey.faults.set({ mode: 'refuse', path: 'query', times: 3 });
    world.start(all(fromVersions('1', '1'), ...changes));
    await touchRow();
    await waitUntil(() => world.journey.faults.list().length === 0);
    await waitUntilSent();
    expect(await readObject()).toMatchObject({ code: 7, memo: 'only here', home });
  });
});
