/** "Later wins": edits of both sides with explicit times, in the order in which they happened. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { saveCursor } from '../../../sync-state/operations.store.ts';
import {
  expectAtRest,
  findInJourney,
  insertRegion,
  regionFields,
  waitUntil,
} from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

const minute = 60;
const hour = 60 * minute;

let world: SyncWorld;
let id: string;

beforeEach(async () => {
  world = await createSyncWorld();
  id = randomUUID();
});
afterEach(() => world.stop());

/**
 * Creates a row with a `_tstamp_` of this many seconds ago, and others, on both sides; then stops.
 */
async function setUp(secs = 0): Promise<void> {
  const run = world.start();
  const insert = `insert into $s.region (_id_, _tstamp_, name, code)
    values ($1, timezone('UTC', now()) - make_interval(secs => $2), $3, $4)`;
  await world.sql(insert, [id, secs, 'base', 1]);
  await insertRegion(world, 'other', 2);
  await world.waitUntilEqual();
  await run.stop();
}

/** Changes the row in a transaction of Helium that committed this many seconds ago. */
async function inHelium(secs: number, change: string): Promise<void> {
  await world.sql(
    `with changed as (${change} returning 1)
     insert into $s.__he_sync_transaction_log__ (tx_id, tx_tstamp, seq_before, seq_after)
     select txid_current(), now() - make_interval(secs => $2), 0, 0 from changed`,
    [id, secs],
  );
}

const setInHelium = (secs: number, set: string) =>
  inHelium(
    secs,
    `update $s.region set ${set}, _tstamp_ = timezone('UTC', now()) - make_interval(secs => $2) where _id_ = $1`,
  );
const deleteInHelium = (secs: number) => inHelium(secs, 'delete from $s.region where _id_ = $1');

/** Edits as a device, this many seconds ago by Journey's clock. */
async function onDevice(secs: number, fields: object): Promise<void> {
  world.deployment.setClockSkew(-secs * 1000);
  await world.edit({ method: 'patch', object: { type: 'region', id, ...fields } });
  world.deployment.setClockSkew(0);
}

async function expectBothSides(name: string, code: number): Promise<void> {
  await expectAtRest(world, { [`region/${id}`]: regionFields(name, code) });
}

test("an earlier edit of another field in Journey does not age Helium's edit", async () => {
  await setUp(hour);
  await onDevice(10 * minute, { code: 5 });
  await onDevice(9 * minute, { name: 'from Journey' });
  await setInHelium(minute, `name = 'from Helium'`);
  world.start();
  await expectBothSides('from Helium', 5);
  expect(await world.conflicts()).toMatchObject([{ id, column: 'name', journey: 'from Journey', winner: 'helium' }]);
});

test("a later edit of another field in Helium does not renew Helium's edit", async () => {
  await setUp(hour);
  world.journey.faults.set({ mode: 'error500', path: 'batch' });
  const run = world.start();
  await setInHelium(10 * minute, `name = 'from Helium'`);
  await waitUntil(() => world.figures().heliumSyncStatus.startsWith('Waiting: '));
  await run.stop();
  await onDevice(5 * minute, { name: 'from Journey' });
  await setInHelium(minute, 'code = 5');
  world.journey.faults.clear();
  world.start();
  await expectBothSides('from Journey', 5);
  expect(await world.conflicts()).toMatchObject([{ id, column: 'name', helium: 'from Helium', winner: 'journey' }]);
});

describe.each(['batch', 'oplog'])(
  'the transaction log has the time of an edit in Helium, when Journey fails at %s',
  (path) => {
    test.each([
      ['earlier', 10 * minute, 'from Journey'],
      ['later', minute, 'from Helium'],
    ])("that is %s than Journey's", async (_, secs, name) => {
      await setUp(hour);
      world.start();
      await waitUntil(() => world.figures().journeySyncStatus === 'Live');
      world.journey.faults.set({ mode: 'error500', path });
      const edits = [
        () => inHelium(secs, `update $s.region set name = 'from Helium' where _id_ = $1`),
        () => onDevice(5 * minute, { name: 'from Journey' }),
      ];
      if (path === 'oplog') {
        await waitUntil(() => world.figures().journeySyncStatus.startsWith('Waiting: '));
        // Helium's edit is sent at once, and is to replace the device's.
        edits.reverse();
      }
      for (const edit of edits) await edit();
      // One direction is done before the other one begins.
      await waitUntil(async () =>
        path === 'oplog'
          ? (await findInJourney(world, 'region', id))?.name === 'from Helium'
          : world.figures().oplogVersion === '3',
      );
      world.journey.faults.clear();
      await expectBothSides(name, 1);
    });
  },
);

test('a deletion in Helium counts from when it happened', async () => {
  await setUp(hour);
  await deleteInHelium(10 * minute);
  await onDevice(5 * minute, { name: 'from Journey' });
  world.start();
  await expectBothSides('from Journey', 1);
  expect(await world.conflicts()).toMatchObject([{ id, column: null, helium: null, winner: 'journey' }]);
});

test('a deletion in Helium that is later than the edit in Journey wins', async () => {
  await setUp(hour);
  await onDevice(10 * minute, { name: 'from Journey' });
  await deleteInHelium(5 * minute);
  world.start();
  await expectAtRest(world, {});
  expect(await world.heliumRows()).not.toHaveProperty(`region/${id}`);
  expect(await world.conflicts()).toMatchObject([
    { id, column: null, journey: { name: 'from Journey', type: 'region' }, winner: 'helium' },
  ]);
});

test('a deletion in Journey that no log reports loses against an edit in Helium', async () => {
  await setUp(2 * hour);
  world.deployment.setClockSkew(-hour * 1000);
  await world.edit({ method: 'delete', object: { type: 'region', id } });
  world.deployment.setClockSkew(0);
  await insertRegion(world, 'newer', 3);
  await world.deployment.dropOpLog({ keep: 0 });
  await setInHelium(minute, `name = 'from Helium'`);
  const { rows } = await world.sql('select state_id, fence::text from __portal_sync__.run');
  const { state_id, fence } = rows[0];
  await saveCursor(world.helium.pool, state_id, { fence, direction: 'journey-to-helium', version: '0' });
  world.start();
  await expectBothSides('from Helium', 1);
});

test.each(['from Helium', 'from Journey'])(
  'an edit with plain SQL that leaves the timestamp, which was %s, counts from when it is seen',
  async (origin) => {
    if (origin === 'from Helium') await setUp(2 * hour);
    else {
      world.deployment.setClockSkew(-2 * hour * 1000);
      await world.edit({ method: 'put', object: { type: 'region', id, name: 'base', code: 1 } });
      const run = world.start();
      await world.waitUntilEqual();
      await run.stop();
    }
    await onDevice(hour, { name: 'from Journey' });
    await world.sql(`update $s.region set name = 'from Helium' where _id_ = $1`, [id]);
    world.start();
    await expectBothSides('from Helium', 1);
    expect(await world.conflicts()).toMatchObject([{ id, column: 'name', journey: 'from Journey', winner: 'helium' }]);
  },
);

test('the timestamp of a row never moves backwards', async () => {
  await setUp(minute);
  await onDevice(hour, { code: 5 });
  const read = async () => (await world.sql('select _tstamp_ from $s.region where _id_ = $1', [id])).rows[0]._tstamp_;
  const before = await read();
  world.start();
  await expectBothSides('base', 5);
  expect(await read()).toEqual(before);
});
