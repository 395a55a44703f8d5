/** Files that cannot be downloaded, or are not uploaded yet: only they wait. */
import { randomUUID } from 'node:crypto';
import type { WaitingFile } from '@portal/contract/sync/records';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import type { JourneyObject } from '@portal/platforms/journey/wire';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OperatorActions } from '../../../integration/operator-actions.ts';
import { createOperations } from '../../../operations/operations.ts';
import { expectNoEcho, findInJourney, waitForLog, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { type FileProxy, startFileProxy } from '../../testing/file-proxy.fixture.ts';
import { computeHash, finishUpload, toUpload } from '../../testing/photo-uploads.fixture.ts';
import { quickRateLimiter } from '../../testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';
import { visitWithPhoto } from '../../testing/visit-with-photo.fixture.ts';

let world: SyncWorld;
let proxy: FileProxy;
let operations: OperatorActions;

beforeAll(async () => {
  world = await createSyncWorld({
    ...visitWithPhoto,
    // Only the file that is never answered waits for this long.
    timing: { callTimeoutMs: 10_000 },
  });
  proxy = await startFileProxy(world);
  operations = createOperations(world.databases, quickRateLimiter());
});
beforeEach(async () => {
  proxy.answer(() => null);
  proxy.downloads.length = 0;
  world.start(proxy.through);
  await waitUntil(() => world.figures().journeySyncStatus === 'Live');
});
afterEach(() => world.stopRuns());
afterAll(async () => {
  await proxy.stop();
  await world.stop();
});

const put = (id: string, fields: object) => world.edit({ method: 'put', object: { type: 'visit', id, ...fields } });
const patch = (id: string, fields: object) => world.edit({ method: 'patch', object: { type: 'visit', id, ...fields } });

async function row(id: string): Promise<{ note: string; photo: string | null } | undefined> {
  const { rows } = await world.sql(`select note, encode(sha256(photo), 'hex') as photo from $s.visit where _id_ = $1`, [
    id,
  ]);
  return rows[0];
}

/** Empty when there is none. */
const object = async (id: string): Promise<Partial<JourneyObject>> => (await findInJourney(world, 'visit', id)) ?? {};

const hasPhoto = async (id: string, photo: Buffer) => (await row(id))?.photo === computeHash(photo);

async function waitingFiles(): Promise<object[]> {
  return (
    await world.sql(
      `select id::text, column_name as "column", state, attempts, reason from __portal_sync__.file_wait order by number`,
    )
  ).rows;
}

async function readWaiting(id: string): Promise<WaitingFile | undefined> {
  const { files } = await operations.readWaitingFiles(world.integration, { limit: 100 });
  return files.find((file) => file.id === id);
}

async function skip(id: string): Promise<void> {
  expect(await operations.skipFiles(world.integration, [(await readWaiting(id))?.no ?? ''])).toBe(1);
}

/** A file whose entry is read while it is being written is looked at again, and not downloaded. */
const waitUntilNoneWaits = () => waitUntil(async () => (await waitingFiles()).length === 0);

test('downloads each file of a page once, although one download fails', async () => {
  const photos = Array.from({ length: 12 }, () => ({ id: randomUUID(), photo: createPhoto(1_000) }));
  let failures = 0;
  proxy.answer(({ earlier }) => {
    if (failures > 0 || earlier > 0) return null;
    failures += 1;
    return 500;
  });
  await world.edit(
    ...photos.map(({ id, photo }) => ({
      method: 'put' as const,
      object: { type: 'visit', id, note: 'photo', photo: toUpload(photo) },
    })),
  );
  for (const { id, photo } of photos) await waitUntil(() => hasPhoto(id, photo));
  expect(proxy.downloads).toHaveLength(13);
  await waitUntilNoneWaits();
  await expectNoEcho(world);
});

test('copies a file that Helium has already instead of downloading it again', async () => {
  const [first, second, third, photo] = [randomUUID(), randomUUID(), randomUUID(), createPhoto(1_000)];
  await put(first, { photo: toUpload(photo) });
  await waitUntil(() => hasPhoto(first, photo));
  const { photo_id } = await object(first);
  await put(second, { photo_id });
  await put(third, { photo_id });
  await waitUntil(() => hasPhoto(second, photo));
  await waitUntil(() => hasPhoto(third, photo));
  expect(proxy.downloads).toEqual([photo_id]);
  await expectNoEcho(world);
});

test('does not download the files that Helium sent', async () => {
  const ids = Array.from({ length: 5 }, () => randomUUID());
  for (const id of ids)
    await world.sql(
      `insert into $s.visit (_id_, _tstamp_, note, photo, photo_fname__) values ($1, now(), 'own', $2, 'a.jpg')`,
      [id, createPhoto(1_000)],
    );
  for (const id of ids) await waitUntil(async () => (await object(id)).photo_id);
  await expectNoEcho(world);
  await waitUntilNoneWaits();
  expect(proxy.downloads).toEqual([]);
});

describe.each([[401], [403], [404], [410], [429], [500], ['never']] as const)('a file that answers %s', (answer) => {
  test('delays neither its record nor others, halts nothing, and is retried automatically', async () => {
    const [bad, other, photo] = [randomUUID(), randomUUID(), createPhoto(1_000)];
    let isBroken = true;
    proxy.answer(() => (isBroken ? answer : null));
    await put(bad, { note: 'with a photo', photo: toUpload(photo) });
    await put(other, { note: 'behind it' });
    await waitUntil(() => row(other));
    expect(await row(bad)).toEqual({ note: 'with a photo', photo: null });
    await patch(bad, { note: 'edited on the device' });
    await waitUntil(async () => (await row(bad))?.note === 'edited on the device');
    await world.sql(`update $s.visit set note = 'edited in Helium', _tstamp_ = now() where _id_ = $1`, [bad]);
    await waitUntil(async () => (await object(bad)).note === 'edited in Helium');
    const { photo_id } = await object(bad);
    await waitUntil(() => proxy.downloads.length > 0);
    expect(await waitingFiles()).toMatchObject([{ id: bad, column: 'photo', state: 'uploaded' }]);
    isBroken = false;
    await waitUntil(() => hasPhoto(bad, photo));
    expect(await object(bad)).toMatchObject({ photo_id });
    await waitUntilNoneWaits();
    expect(await world.held()).toEqual([]);
    await expectNoEcho(world);
  });
});

test('asks for an announced upload until it is there, although no entry reports it', async () => {
  const [id, photoId, photo] = [randomUUID(), randomUUID(), createPhoto(1_000)];
  await put(id, { note: 'photo to come', photo_id: photoId });
  await waitUntil(() => row(id));
  expect(await waitingFiles()).toMatchObject([
    { id, state: 'announced', reason: expect.stringContaining('it calls it pending') },
  ]);
  await finishUpload(world, photoId, photo);
  await waitUntil(() => hasPhoto(id, photo));
  expect(await object(id)).toMatchObject({ photo_id: photoId });
  expect(proxy.downloads).toEqual([photoId]);
  await expectNoEcho(world);
});

test('keeps a photo of Helium back while another one is announced, and then records a conflict', async () => {
  const [id, photoId, ours, theirs] = [randomUUID(), randomUUID(), createPhoto(1_000), createPhoto(1_000)];
  await put(id, { note: 'photo to come', photo_id: photoId });
  await waitUntil(() => row(id));
  await world.sql(`update $s.visit set note = 'edited', photo = $2, _tstamp_ = now() where _id_ = $1`, [id, ours]);
  await waitUntil(async () => (await object(id)).note === 'edited');
  expect(await object(id)).toMatchObject({ photo_id: photoId });
  await finishUpload(world, photoId, theirs);
  await waitUntil(async () => (await world.conflicts()).some((conflict) => conflict.id === id));
  expect((await world.conflicts()).find((conflict) => conflict.id === id)).toMatchObject({
    column: 'photo',
    helium: `sha256:${computeHash(ours)}/`,
    journey: `sha256:${computeHash(theirs)}/field.jpg`,
    winner: 'helium',
  });
  await waitUntil(async () => (await object(id)).photo_id !== photoId);
  expect(await hasPhoto(id, ours)).toBe(true);
  await expectNoEcho(world);
});

test.each(['missing', 'untrusted'] as const)(
  'sends a photo of Helium once an operator skips an upload that Journey calls %s, with a conflict',
  async (state) => {
    const [id, photoId, ours] = [randomUUID(), randomUUID(), createPhoto(1_000)];
    await put(id, { note: 'photo to come', photo_id: photoId });
    world.deployment.setUploadState(photoId, state);
    await waitUntil(async () => (await readWaiting(id))?.reason.includes(`it calls it ${state}`));
    await world.sql(`update $s.visit set note = 'edited', photo = $2, _tstamp_ = now() where _id_ = $1`, [id, ours]);
    await waitUntil(async () => (await object(id)).note === 'edited');
    expect(await object(id)).toMatchObject({ photo_id: photoId });
    await skip(id);
    await waitUntil(async () => (await object(id)).photo_id !== photoId);
    await waitUntilNoneWaits();
    expect((await world.conflicts()).filter((conflict) => conflict.id === id)).toMatchObject([
      { column: 'photo', journey: photoId, winner: 'helium' },
    ]);
    expect(await hasPhoto(id, ours)).toBe(true);
    await expectNoEcho(world);
  },
);

test('keeps a skipped file in the list, and fetches it when Journey shows that it was uploaded', async () => {
  const [id, photoId, photo] = [randomUUID(), randomUUID(), createPhoto(1_000)];
  await put(id, { note: 'photo to come', photo_id: photoId });
  await waitUntil(() => readWaiting(id));
  await skip(id);
  await patch(id, { note: 'edited on the device' });
  await waitUntil(async () => (await row(id))?.note === 'edited on the device');
  expect(await operations.retryFiles(world.integration, null)).toBe(0);
  expect(await readWaiting(id)).toMatchObject({ state: 'announced', nextAttempt: null });
  await finishUpload(world, photoId, photo);
  await patch(id, { note: 'uploaded' });
  await waitUntil(() => hasPhoto(id, photo));
  await waitUntilNoneWaits();
  expect(await object(id)).toMatchObject({ photo_id: photoId });
  await expectNoEcho(world);
});

test('drops a waiting file when Journey replaces it, clears it, or deletes its record', async () => {
  const [replaced, cleared, deleted, photo] = [randomUUID(), randomUUID(), randomUUID(), createPhoto(1_000)];
  for (const id of [replaced, cleared, deleted]) await put(id, { note: 'waits', photo_id: randomUUID() });
  await waitUntil(async () => (await waitingFiles()).length === 3);
  await patch(replaced, { photo: toUpload(photo) });
  await patch(cleared, { photo_id: null });
  await world.edit({ method: 'delete', object: { type: 'visit', id: deleted } });
  await waitUntil(() => hasPhoto(replaced, photo));
  await waitUntil(async () => (await row(deleted)) === undefined);
  await waitUntilNoneWaits();
  expect(await row(cleared)).toEqual({ note: 'waits', photo: null });
  expect(proxy.downloads).toHaveLength(1);
  await expectNoEcho(world);
});

test('a comparison counts files that are not there yet, and fetches one that nothing else noted', async () => {
  const [lost, pending, photo] = [randomUUID(), randomUUID(), createPhoto(1_000)];
  proxy.answer(() => 500);
  await put(lost, { note: 'lost', photo: toUpload(photo) });
  await put(pending, { note: 'pending', photo_id: randomUUID() });
  await waitUntil(async () => (await waitingFiles()).length === 2);
  await waitUntil(() => proxy.downloads.length > 0);
  await world.stopRuns();
  await world.sql('delete from __portal_sync__.file_wait');
  proxy.answer(() => null);
  await world.sql('update __portal_sync__.run set comparison_requested_at = now()');
  world.start(proxy.through);
  await waitForLog(world, /Compared visit: .*2 files not there yet/);
  await waitUntil(() => hasPhoto(lost, photo));
  await patch(pending, { photo_id: null });
  await waitUntilNoneWaits();
});
