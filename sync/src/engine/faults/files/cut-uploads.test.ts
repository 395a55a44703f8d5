/** Something before Journey cuts off large uploads: only their records wait. */
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { requestRetry } from '../../../sync-state/operations.store.ts';
import { expectNoEcho, findInJourney, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { type FileProxy, startFileProxy } from '../../testing/file-proxy.fixture.ts';
import { quickPolls, quickTiming } from '../../testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';
import { visitWithPhoto } from '../../testing/visit-with-photo.fixture.ts';

let world: SyncWorld;
let proxy: FileProxy;

beforeAll(async () => {
  world = await createSyncWorld({
    ...visitWithPhoto,
    timing: { ...quickPolls, files: { ...quickTiming.files, retry: { initialMs: 100, maxMs: 200 } } },
  });
  proxy = await startFileProxy(world);
});
beforeEach(async () => {
  world.log.length = 0;
  world.start(proxy.through);
  await waitUntil(() => world.figures().heliumSyncStatus === 'Live');
});
afterEach(async () => {
  proxy.interrupt(() => null);
  await world.stopRuns();
});
afterAll(async () => {
  await proxy.stop();
  await world.stop();
});

const limitBytes = 100_000;
const cutLarge = (bytes: number) => (bytes > limitBytes ? ('cut' as const) : null);

/** Inserts visits in one transaction; with the bytes of a photo each, or without one. */
async function insertVisits(...photos: readonly (Buffer | null)[]): Promise<string[]> {
  const { rows } = await world.sql(
    `insert into $s.visit (_id_, _tstamp_, note, photo, photo_fname__)
     select gen_random_uuid(), now(), 'new', photo, case when photo is not null then 'a.jpg' end
     from unnest($1::bytea[]) as p (photo) returning _id_::text as id`,
    [photos],
  );
  return rows.map(({ id }) => id);
}

const object = (id: string) => findInJourney(world, 'visit', id);

const hasPhoto = async (id: string) => typeof (await object(id))?.photo_id === 'string';

test('sets aside an upload that is always cut off, and sends the records after it', async () => {
  let cut = 0;
  proxy.interrupt((bytes) => {
    if (bytes <= limitBytes) return null;
    cut += 1;
    return 'cut';
  });
  const [large = ''] = await insertVisits(createPhoto(200_000));
  await waitUntil(() => cut > 0);
  const [behind = ''] = await insertVisits(null);
  await waitUntil(() => object(behind));
  await waitUntil(() => world.figures().waiting === 1);
  expect(await world.held()).toMatchObject([
    {
      id: large,
      direction: 'helium-to-journey',
      state: 'waiting',
      reason: expect.stringMatching(
        /^Journey or something before it cuts off this upload of 200 kB: .* retried automatic/,
      ),
    },
  ]);
  expect(world.log.filter((line) => /Retrying in/.test(line))).toHaveLength(2);

  await world.sql(`update $s.visit set note = 'edited', _tstamp_ = now() where _id_ = $1`, [behind]);
  await waitUntil(async () => (await object(behind))?.note === 'edited');
  await waitUntil(async () => ((await world.held())[0]?.attempts ?? 0) >= 3);
  expect(world.figures()).toMatchObject({ deadLetters: 0, waiting: 1 });
  proxy.interrupt(() => null);
  await waitUntil(() => hasPhoto(large));
  await waitUntil(() => world.figures().waiting === 0);
  await expectNoEcho(world);
});

test('still waits after a restart, and is sent when an operator retries it', async () => {
  let uploads = 0;
  proxy.interrupt((bytes) => {
    if (bytes > limitBytes) uploads += 1;
    return cutLarge(bytes);
  });
  const [large = ''] = await insertVisits(createPhoto(200_000));
  await waitUntil(async () => (await world.held()).length === 1);
  await world.stopRuns();
  const { rows } = await world.sql(
    `update __portal_sync__.held set retry_at = now() + interval '1 hour' returning state_id, number::text as number`,
  );
  uploads = 0;
  const run = world.start(proxy.through);
  const [behind = ''] = await insertVisits(null);
  await waitUntil(() => object(behind));
  expect(uploads).toBe(0);
  proxy.interrupt(() => null);
  const [{ state_id, number }] = rows;
  await requestRetry(world.helium.pool, state_id, { numbers: [number], kind: null });
  run.wake();
  await waitUntil(() => hasPhoto(large));
  await waitUntil(async () => (await world.held()).length === 0);
  await expectNoEcho(world);
});

test('sets only the uploads of a page aside that are cut off', async () => {
  proxy.interrupt(cutLarge);
  const photos = [200_000, 1_000, 200_000, 2_000].map((bytes) => createPhoto(bytes));
  const ids = await insertVisits(...photos, null);
  const isLarge = (index: number) => (photos[index]?.length ?? 0) > limitBytes;
  for (const [index, id] of ids.entries()) if (!isLarge(index)) await waitUntil(() => object(id));
  await waitUntil(async () => (await world.held()).length === 2);
  expect((await world.held()).map(({ id }) => id).sort()).toEqual(ids.filter((_, index) => isLarge(index)).sort());
  proxy.interrupt(() => null);
  for (const [index] of photos.entries()) await waitUntil(() => hasPhoto(ids[index] ?? ''));
  await waitUntil(async () => (await world.held()).length === 0);
  await expectNoEcho(world);
});

test('does not send an upload again that Journey has applied without an answer', async () => {
  let uploads = 0;
  proxy.interrupt((bytes) => {
    if (bytes <= limitBytes) return null;
    uploads += 1;
    return 'lose';
  });
  const [large = ''] = await insertVisits(createPhoto(200_000));
  await waitUntil(() => hasPhoto(large));
  const [behind = ''] = await insertVisits(null);
  await waitUntil(() => object(behind));
  await expectNoEcho(world);
  expect(uploads).toBe(1);
  expect(await world.held()).toEqual([]);
});

test('sets no upload aside while Journey answers neither uploads nor small calls', async () => {
  await world.stopRuns();
  let failed = 0;
  proxy.interrupt((bytes, path) => {
    if (bytes > limitBytes) failed += 1;
    return failed > 0 && /batch|oplog/.test(path) ? 'cut' : null;
  });
  const [large = ''] = await insertVisits(createPhoto(200_000));
  // With the op-log, Journey would be asked for that first, and the upload not be repeated.
  world.start((config) => ({ ...proxy.through(config), enableJourneyToHelium: false }));
  await waitUntil(() => failed >= 4);
  expect(await world.held()).toEqual([]);
  proxy.interrupt(() => null);
  await waitUntil(() => hasPhoto(large));
  expect(await world.held()).toEqual([]);
});
