/** How many files are downloaded at once, by an engine that waits long for each, and how often. */
import { randomUUID } from 'node:crypto';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import { afterEach, expect, test } from 'vitest';
import { waitUntil } from '../../testing/fault-steps.fixture.ts';
import { type FileProxy, startFileProxy } from '../../testing/file-proxy.fixture.ts';
import { quickTiming } from '../../testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';
import { visitWithPhoto } from '../../testing/visit-with-photo.fixture.ts';

const { parallelDownloads } = quickTiming.files;

let world: SyncWorld | undefined;
let proxy: FileProxy | undefined;

afterEach(async () => {
  await proxy?.stop();
  await world?.stop();
});

test('downloads several files at once, and no more than are configured', async () => {
  world = await createSyncWorld(visitWithPhoto);
  const { sql, edit } = world;
  proxy = await startFileProxy(world);
  const { answer, through } = proxy;
  let [running, most] = [0, 0];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  answer(async () => {
    running += 1;
    most = Math.max(most, running);
    await released;
    running -= 1;
    return null;
  });
  const photos = Array.from({ length: parallelDownloads + 2 }, () => createPhoto(1_000).toString('base64'));
  await edit(
    ...photos.map((base64) => ({
      method: 'put' as const,
      object: { type: 'visit', id: randomUUID(), photo: { base64, filename: 'field.jpg' } },
    })),
  );
  world.start(through);
  await waitUntil(() => running === parallelDownloads);
  release();
  const count = async () => (await sql('select count(photo)::int as photos from $s.visit')).rows[0].photos;
  await waitUntil(async () => (await count()) === photos.length);
  expect(most).toBe(parallelDownloads);
});

test('downloads a file once although another session locks what its transaction needs', async () => {
  world = await createSyncWorld(visitWithPhoto);
  const { sql, edit, helium } = world;
  proxy = await startFileProxy(world);
  const { answer, through, downloads } = proxy;
  const session = await helium.connect();
  const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid');
  answer(async () => {
    await session.query('begin; lock table __portal_sync__.file_wait in share mode');
    return null;
  });
  const id = randomUUID();
  const photo = { base64: createPhoto(1_000).toString('base64'), filename: 'field.jpg' };
  await edit({ method: 'put', object: { type: 'visit', id, photo } });
  world.start(through);
  // Like a lock timeout.
  const cancelWaiting = `select pg_cancel_backend(pid) from pg_stat_activity
    where datname = current_database() and $1 = any (pg_blocking_pids(pid))`;
  await waitUntil(async () => downloads.length === 1 && (await sql(cancelWaiting, [rows[0]?.pid])).rowCount);
  await session.query('rollback');
  await waitUntil(async () => (await sql('select from $s.visit where _id_ = $1 and photo is not null', [id])).rowCount);
  expect(downloads).toHaveLength(1);
});
