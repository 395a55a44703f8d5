/**
 * An operator skips records that Helium rejects: they are left as they are until they change again.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { markSkipped, requestComparison, requestRetry } from '../../../sync-state/operations.store.ts';
import { expectAtRest, expectNoEcho, waitForLog, waitUntil } from '../../testing/fault-steps.fixture.ts';
import type { TestRun } from '../../testing/restarting-run.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

const schemaXml = `<?xml version="1.0" encoding="UTF-8"?>
<data-model>
  <model name="crop" label="Crop">
    <field name="name" label="Name" type="text"/>
    <field name="code" label="Code" type="integer"/>
    <display>{name}</display>
  </model>
  <model name="user" label="User"><field name="name" label="Name" type="text"/><display>{name}</display></model>
</data-model>
`;
const poison = 2_000_000;

let world: SyncWorld;
let run: TestRun;

beforeAll(async () => {
  world = await createSyncWorld({
    tables: { crop: ['name text', 'code integer check (code < 1000000)'] },
    sql: '',
    schemaXml,
  });
  run = world.start();
  await world.waitUntilEqual();
});
beforeEach(async () => {
  await world.sql('alter table $s.crop drop constraint if exists crop_code_check');
  await world.sql('delete from $s.crop');
  const { rows } = await world.sql('select number::text as no from __portal_sync__.held');
  await requestRetry(world.helium.pool, await findStateId(), { numbers: rows.map(({ no }) => no), kind: null });
  run.wake();
  await world.waitUntilEqual();
  await waitUntil(async () => (await world.held()).length === 0);
  await world.sql('delete from __portal_sync__.conflict');
  await world.sql('alter table $s.crop add check (code < 1000000)');
});
afterAll(() => world.stop());

const findStateId = async () => (await world.sql('select state_id from __portal_sync__.run')).rows[0].state_id;
const inHelium = async (id: string) => (await world.heliumRows())[`crop/${id}`];
const inJourney = async (id: string) => (await world.journeyRows())[`crop/${id}`];

/** Returns a record whose code of Journey Helium rejects, and which an operator has skipped. */
async function skipOne(): Promise<string> {
  const id = randomUUID();
  await world.sql(`insert into $s.crop (_id_, _tstamp_, name, code) values ($1, now(), 'old', 1)`, [id]);
  await world.waitUntilEqual();
  await world.edit({ method: 'patch', object: { type: 'crop', id, code: poison } });
  await waitUntil(async () => (await world.held()).length === 1);
  const numbers = (await world.held()).map(({ no }) => no);
  await markSkipped(world.helium.pool, await findStateId(), { numbers, kind: null });
  run.wake();
  await waitUntil(() => world.figures().skipped === 1);
  return id;
}

test('sends what Helium changes beside the rejected value, and the record stays skipped', async () => {
  const id = await skipOne();
  await world.sql(`update $s.crop set name = 'new', _tstamp_ = now() where _id_ = $1`, [id]);
  await waitUntil(async () => (await inJourney(id))?.name === 'new');
  await expectNoEcho(world);
  expect(await inJourney(id)).toEqual({ name: 'new', code: poison });
  expect(await inHelium(id)).toEqual({ name: 'new', code: 1 });
  expect(await world.held()).toMatchObject([{ id, state: 'skipped' }]);
  expect(await world.conflicts()).toEqual([]);
});

test('merges a change of the rejected value in Helium, as a conflict with both values', async () => {
  const id = await skipOne();
  await world.deployment.setClockSkew(-10_000);
  await world.sql(`update $s.crop set code = 5, _tstamp_ = now() + interval '5 s' where _id_ = $1`, [id]);
  await expectAtRest(world, { [`crop/${id}`]: { name: 'old', code: 5 } });
  world.deployment.setClockSkew(0);
  expect(await world.held()).toEqual([]);
  expect(await world.conflicts()).toMatchObject([{ id, column: 'code', helium: 5, journey: poison, winner: 'helium' }]);
});

test('deletes a skipped record in Journey once Helium deletes it, with both values in a conflict', async () => {
  const id = await skipOne();
  await world.sql(
    `with deleted as (delete from $s.crop where _id_ = $1)
     insert into $s.__he_sync_transaction_log__ (tx_id, tx_tstamp, seq_before, seq_after) values (txid_current(), now() + interval '5 s', 0, 0)`,
    [id],
  );
  await waitUntil(async () => (await inJourney(id)) === undefined);
  await expectAtRest(world, {});
  expect(await world.held()).toEqual([]);
  expect(await world.conflicts()).toMatchObject([
    { id, column: null, helium: null, journey: { name: 'old', code: poison }, winner: 'helium' },
  ]);
});

test('compares a skipped record as different, and never as equal', async () => {
  await skipOne();
  await requestComparison(world.helium.pool, await findStateId());
  run.wake();
  await waitForLog(world, /^WARNING Compared crop: 1 record, 1 differs: 1 skipped\.$/);
  const { rows } = await world.sql('select drifted, held from __portal_sync__.comparison order by id desc limit 1');
  expect(rows).toEqual([{ drifted: 0, held: 1 }]);
});
