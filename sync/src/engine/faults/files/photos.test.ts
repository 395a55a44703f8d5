/** Files of 25 MB in both directions, lost responses, and a file that is too large to download. */
import { randomUUID } from 'node:crypto';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { expectNoEcho, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { computeHash } from '../../testing/photo-uploads.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';
import { visitWithPhoto } from '../../testing/visit-with-photo.fixture.ts';

const seen = z.object({ photo: z.object({ state: z.string(), original: z.string().optional() }).nullable() });
const size = 25 * 1024 * 1024;
/** Such a file takes long on a busy machine. */
const waitUntilSynced = (state: () => Promise<boolean>) => vi.waitUntil(state, { timeout: 200_000, interval: 100 });

let world: SyncWorld;

beforeAll(async () => {
  world = await createSyncWorld({
    ...visitWithPhoto,
    timing: { callTimeoutMs: 200_000 },
  });
  world.start();
  await waitUntil(() => world.figures().journeySyncStatus === 'Live');
});
afterEach(() => world.journey.faults.clear());
afterAll(() => world.stop());

const headers = () => ({ authorization: `Basic ${btoa(`${world.deployment.userName}:${world.deployment.password}`)}` });

async function photoInJourney(id: string): Promise<string | undefined> {
  const response = await fetch(`${world.deployment.url}/objects/visit/${id}.json`, { headers: headers() });
  if (!response.ok) return undefined;
  const { photo } = seen.parse(await response.json());
  if (photo?.state !== 'uploaded' || !photo.original) return undefined;
  const file = await fetch(photo.original, { headers: headers() });
  return computeHash(Buffer.from(await file.arrayBuffer()));
}

async function photoInHelium(id: string): Promise<string | undefined> {
  const { rows } = await world.sql(`select encode(sha256(photo), 'hex') as hash from $s.visit where _id_ = $1`, [id]);
  return rows[0]?.hash ?? undefined;
}

const put = (id: string, photo: Buffer) =>
  world.edit({
    method: 'put',
    object: { type: 'visit', id, note: 'device', photo: { base64: photo.toString('base64'), filename: 'field.jpg' } },
  });

test('sends a photo of 25 MB to Journey although a response is lost, and does not receive it back', async () => {
  const [id, photo] = [randomUUID(), createPhoto(size)];
  world.journey.faults.set({ mode: 'drop', path: 'batch', times: 1 });
  await world.sql(
    `insert into $s.visit (_id_, _tstamp_, note, photo, photo_fname__) values ($1, now(), 'helium', $2, 'Field 1.JPG')`,
    [id, photo],
  );
  await waitUntilSynced(async () => (await photoInJourney(id)) === computeHash(photo));
  await expectNoEcho(world);
  expect(await photoInHelium(id)).toBe(computeHash(photo));
}, 300_000);

test('receives a photo of 25 MB from Journey after an interrupted download, and does not send it back', async () => {
  const [id, photo] = [randomUUID(), createPhoto(size)];
  world.journey.faults.set({ mode: 'refuse', path: 'downloads', times: 2 });
  await put(id, photo);
  await waitUntilSynced(async () => (await photoInHelium(id)) === computeHash(photo));
  await expectNoEcho(world);
  const { rows } = await world.sql('select photo_mtype__, photo_size__::int from $s.visit where _id_ = $1', [id]);
  expect(rows).toEqual([{ photo_mtype__: 'image/jpeg', photo_size__: size }]);
}, 300_000);

test('waits for a photo that is not uploaded yet, and does not clear it', async () => {
  const [id, other, photo] = [randomUUID(), randomUUID(), createPhoto(1_000)];
  const lateId = randomUUID();
  await world.edit({ method: 'put', object: { type: 'visit', id, note: 'photo to come', photo_id: lateId } });
  await waitUntil(async () => (await world.sql('select from $s.visit where _id_ = $1', [id])).rowCount);
  await world.sql(`update $s.visit set note = 'edited in the meantime' where _id_ = $1`, [id]);
  await put(other, photo);
  await waitUntil(async () => (await photoInHelium(other)) === computeHash(photo));
  await expectNoEcho(world);
  const response = await fetch(`${world.deployment.url}/objects/visit/${id}.json`, { headers: headers() });
  expect(await response.json()).toMatchObject({ note: 'edited in the meantime', photo_id: lateId });
});

test('keeps only a file waiting that is too large to download, until it is replaced', async () => {
  const [id, photo] = [randomUUID(), createPhoto(1_000)];
  await put(id, Buffer.alloc(49 * 1024 * 1024));
  const reasons = async () =>
    (await world.sql('select reason from __portal_sync__.file_wait where id = $1', [id])).rows;
  await waitUntilSynced(async () => /more than \d+ bytes/.test((await reasons())[0]?.reason));
  const { rows } = await world.sql('select note, photo from $s.visit where _id_ = $1', [id]);
  expect(rows).toEqual([{ note: 'device', photo: null }]);
  const other = randomUUID();
  await world.edit({ method: 'put', object: { type: 'visit', id: other, note: 'others flow' } });
  await waitUntil(async () => (await world.sql('select from $s.visit where _id_ = $1', [other])).rowCount);
  await put(id, photo);
  await waitUntil(async () => (await photoInHelium(id)) === computeHash(photo));
  expect(await reasons()).toEqual([]);
}, 300_000);

test('shows since when an entry of Journey waits while its page cannot be applied yet', async () => {
  const [id, photo] = [randomUUID(), createPhoto(1_000)];
  await world.sql(`
    create function $s.fail() returns trigger language plpgsql as
      $$ begin raise exception 'not now' using errcode = 'serialization_failure'; end $$;
    create trigger fail before insert on $s.visit for each row execute function $s.fail()`);
  await put(id, photo);
  await waitUntil(() => world.figures().journeyToHeliumWaitingSinceMs !== null);
  expect(await photoInHelium(id)).toBeUndefined();
  await world.sql('drop trigger fail on $s.visit');
  await waitUntilSynced(async () => (await photoInHelium(id)) === computeHash(photo));
  await waitUntil(() => world.figures().journeyToHeliumWaitingSinceMs === null);
});
