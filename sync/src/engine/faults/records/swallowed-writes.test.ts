/** Triggers of the app keep a row from being written, and raise no error. */
import { randomUUID } from 'node:crypto';
import type { HeldRecord } from '@portal/contract/sync/records';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deleteRegion, insertRegion, waitForLog, waitUntil } from '../../testing/fault-steps.fixture.ts';
import type { TestRun } from '../../testing/restarting-run.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;
let run: TestRun;

beforeEach(async () => {
  world = await createSyncWorld();
  run = world.start();
});
afterEach(() => world.stop());

const createTrigger = (moment: string, body: string) =>
  world.sql(`create function $s.swallow() returns trigger language plpgsql as $f$ begin ${body} return null; end $f$;
    create trigger swallow ${moment} on $s.region for each row when (old.name = 'kept') execute procedure $s.swallow()`);

async function expectHeld(id: string, held: Partial<HeldRecord>): Promise<void> {
  await waitUntil(async () => (await world.held()).length > 0);
  expect(await world.held()).toMatchObject([{ table: 'region', id, ...held }]);
}

const swallowed = (reason: string) => ({ state: 'dead', kind: 'swallowed', reason }) as const;
const kept = {
  state: 'skipped',
  kind: 'kept row',
  reason: 'Helium has kept the row, without an error: a trigger of the app cancels its deletion.',
} as const;

/** Waits until others have been synced in both directions, and both sides were compared. */
async function expectOthersToFlow(): Promise<void> {
  const fromHelium = await insertRegion(world, 'from Helium');
  const fromJourney = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id: fromJourney, name: 'from Journey' } });
  await waitUntil(async () => `region/${fromHelium}` in (await world.journeyRows()));
  await waitUntil(async () => `region/${fromJourney}` in (await world.heliumRows()));
  await world.sql('update __portal_sync__.run set comparison_requested_at = now()');
  run.wake();
  await waitForLog(world, /^\w+ Compared region/);
}

test.each([
  ['keeps it silently', ''],
  ['marks it', 'update shop__app_001.region set code = 99 where _id_ = old._id_;'],
])('holds the deletion by a device of a row that a trigger does not delete but %s', async (_, body) => {
  const id = await insertRegion(world, 'kept');
  await world.waitUntilEqual();
  await createTrigger('before delete', body);
  await world.edit({ method: 'delete', object: { type: 'region', id } });
  await expectHeld(id, kept);
  await expectOthersToFlow();
  expect(await world.journeyRows()).not.toHaveProperty([`region/${id}`]);
  expect(await world.heliumRows()).toHaveProperty([`region/${id}`]);
});

test('notes deletions by devices that a trigger turns into marks, by object and without a dead letter each, and undoes one on the devices only with a conflict', async () => {
  const ids = [await insertRegion(world, 'kept'), await insertRegion(world, 'kept'), await insertRegion(world, 'kept')];
  await world.waitUntilEqual();
  await createTrigger('before delete', "update shop__app_001.region set name = 'deleted' where _id_ = old._id_;");
  await world.edit(...ids.map((id) => ({ method: 'delete' as const, object: { type: 'region', id } })));
  await waitUntil(() => world.figures().keptRows === 3);
  expect(world.figures()).toMatchObject({ deadLetters: 0, skipped: 0, waiting: 0 });
  expect(await world.held()).toMatchObject([kept, kept, kept]);
  expect(world.log.filter((line) => /^(WARNING|SEVERE)/.test(line)).join('\n')).toMatch(
    /^WARNING region: Helium keeps \d rows? that devices have deleted, because a trigger of the app cancels their deletion/,
  );
  await expectOthersToFlow();
  expect(await world.conflicts()).toEqual([]);

  const [id] = ids;
  await world.sql(`update $s.region set name = 'in use again', _tstamp_ = now() + interval '1 hour' where _id_ = $1`, [
    id,
  ]);
  await waitUntil(async () => `region/${id}` in (await world.journeyRows()));
  expect(await world.conflicts()).toMatchObject([{ table: 'region', id, winner: 'helium' }]);
  await waitUntil(() => world.figures().keptRows === 2);
});

test('holds an edit of a device that a trigger does not make', async () => {
  const id = await insertRegion(world, 'kept');
  await world.waitUntilEqual();
  await createTrigger('before update', '');
  await world.edit({ method: 'patch', object: { type: 'region', id, code: 7 } });
  await expectHeld(
    id,
    swallowed('Helium has not changed the row, without an error: a trigger of the app cancels the change.'),
  );
  await expectOthersToFlow();
  expect((await world.journeyRows())[`region/${id}`]).toMatchObject({ code: 7 });
});

test('holds a record of a device that a trigger does not insert', async () => {
  await world.waitUntilEqual();
  await world.sql(`create function $s.swallow() returns trigger language plpgsql as $f$ begin return null; end $f$;
    create trigger swallow before insert on $s.region for each row when (new.name = 'kept') execute procedure $s.swallow()`);
  const id = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id, name: 'kept' } });
  await expectHeld(
    id,
    swallowed('Helium has not inserted the row, without an error: a trigger of the app cancels it.'),
  );
  await expectOthersToFlow();
  expect(await world.journeyRows()).toHaveProperty([`region/${id}`]);
});

test('deletes a row that a trigger deletes instead, or that is gone already', async () => {
  const [id, other] = [await insertRegion(world, 'kept'), await insertRegion(world, 'other')];
  await world.waitUntilEqual();
  await world.sql(`create function $s.swallow() returns trigger language plpgsql as $f$ begin
      if pg_trigger_depth() > 1 then return old; end if;
      delete from $s.region where _id_ = old._id_; return null; end $f$;
    create trigger swallow before delete on $s.region for each row when (old.name = 'kept') execute procedure $s.swallow()`);
  await world.edit(...[id, other].map((id) => ({ method: 'delete' as const, object: { type: 'region', id } })));
  await deleteRegion(world, other);
  await world.waitUntilEqual();
  expect(await world.heliumRows()).toEqual({});
  expect(await world.held()).toEqual([]);
});
