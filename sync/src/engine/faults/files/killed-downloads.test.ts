/** Downloads that fail at random, by engines that are killed at random. */
import { randomUUID } from 'node:crypto';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import { afterEach, expect, test } from 'vitest';
import { createEngines } from '../../testing/engine-processes.fixture.ts';
import { expectNoEcho, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { type FileProxy, startFileProxy } from '../../testing/file-proxy.fixture.ts';
import { computeHash, toUpload } from '../../testing/photo-uploads.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';
import { visitWithPhoto } from '../../testing/visit-with-photo.fixture.ts';
import { randomFrom } from '../processes/kill-loop.fixture.ts';

/** `npm run soak` kills more often, with other seeds. */
const kills = Number(process.env.FILE_KILLS ?? 8);
const seed = Number(process.env.SEED ?? 20_261_123);
const photoCount = 100;

let world: SyncWorld | undefined;
let proxy: FileProxy | undefined;

afterEach(async () => {
  await proxy?.stop();
  await world?.stop();
});

test(
  `downloads ${photoCount} photos once each, apart from failures and up to ${kills} kills, and delays no other record`,
  async () => {
    world = await createSyncWorld(visitWithPhoto);
    const { sql, edit, helium } = world;
    proxy = await startFileProxy(world);
    const { url, downloads, answer } = proxy;
    const random = randomFrom(seed);
    let failures = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    answer(async () => {
      await released;
      if (random() < 0.5) return null;
      failures += 1;
      return 500;
    });
    const expected: Record<string, string> = {};
    const operations = Array.from({ length: photoCount }, () => {
      const [id, photo] = [randomUUID(), createPhoto(1_000)];
      expected[id] = computeHash(photo);
      return { method: 'put' as const, object: { type: 'visit', id, note: 'with a photo', photo: toUpload(photo) } };
    });
    await edit(...operations);
    const behind = randomUUID();
    await edit({ method: 'put', object: { type: 'visit', id: behind, note: 'behind them' } });

    const engines = await createEngines(world);
    const options = { heliumUrl: helium.url, journeyUrl: url, parallelDownloads: 1 };
    const countPhotos = async () => (await sql('select count(photo)::int as photos from $s.visit')).rows[0].photos;
    let engine = await engines.start(options);
    // Before any download is answered.
    await waitUntil(async () => (await sql('select from $s.visit where _id_ = $1', [behind])).rowCount);
    release();
    let killed = 0;
    for (let photos = 0; killed < kills && photos < photoCount; killed += 1) {
      const next = downloads.length + 1 + Math.floor(random() * 10);
      await waitUntil(async () => {
        photos = await countPhotos();
        return photos === photoCount || downloads.length >= next;
      });
      await engine.kill();
      engine = await engines.start(options);
    }
    await waitUntil(async () => (await countPhotos()) === photoCount);
    await engine.kill();
    engines.stop();
    const { rows } = await sql(
      `select _id_::text as id, encode(sha256(photo), 'hex') as hash from $s.visit where photo is not null`,
    );
    expect(Object.fromEntries(rows.map(({ id, hash }) => [id, hash]))).toEqual(expected);
    expect(downloads.length).toBeLessThanOrEqual(photoCount + failures + killed);
    world.start();
    await waitUntil(() => world?.figures().journeySyncStatus === 'Live');
    await expectNoEcho(world);
    console.log(`seed ${seed}: ${downloads.length} downloads, ${failures} failures, ${killed} kills`);
  },
  kills * 4_000 + 120_000,
);
