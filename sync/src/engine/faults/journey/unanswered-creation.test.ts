/**
 * A record with a file that Journey has created without an answer, while devices change its other
 * file.
 */
import { randomUUID } from 'node:crypto';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectNoEcho, findInJourney, waitForLog, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { fileSchemaXml, fileTables } from '../../testing/file-editor.fixture.ts';
import { type FileProxy, startFileProxy } from '../../testing/file-proxy.fixture.ts';
import { computeHash, toUpload } from '../../testing/photo-uploads.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;
let proxy: FileProxy;

beforeAll(async () => {
  world = await createSyncWorld({ tables: fileTables, sql: '', schemaXml: fileSchemaXml });
  proxy = await startFileProxy(world);
});
afterAll(async () => {
  await proxy.stop();
  await world.stop();
});

const isLive = () => world.figures().journeySyncStatus === 'Live';
const patch = (id: string, fields: object) => world.edit({ method: 'patch', object: { type: 'visit', id, ...fields } });
const object = (id: string) => findInJourney(world, 'visit', id);

async function readPhoto(id: string): Promise<string | null> {
  const { rows } = await world.sql(`select encode(sha256(photo), 'hex') as photo from $s.visit where _id_ = $1`, [id]);
  return rows[0]?.photo;
}

async function countWaiting(minAttempts = 0): Promise<number | null> {
  const waiting = await world.sql('select from __portal_sync__.file_wait where attempts >= $1', [minAttempts]);
  return waiting.rowCount;
}

test('a photo that a device adds or clears is neither replaced nor in a conflict', async () => {
  world.start(proxy.through);
  await waitUntil(isLive);
  await waitForLog(world, /Helium → Journey: full read complete/);
  // An op-log that is refused would have the deployment count as failing, and the batch wait.
  world.journey.faults.set({ mode: 'drop', path: 'batch' }, { mode: 'hang', path: 'oplog' });
  const [id, cleared] = [randomUUID(), randomUUID()];
  await world.sql('insert into $s.visit (_id_, _tstamp_, scan) select unnest($1::uuid[]), now(), $2', [
    [id, cleared],
    createPhoto(1_000),
  ]);
  await waitUntil(async () => (await object(id)) && (await object(cleared)));
  await world.stopRuns();
  world.journey.faults.clear();
  await patch(cleared, { photo: toUpload(createPhoto(1_000)) });
  await patch(cleared, { photo_id: null });

  const sent: string[] = [];
  proxy.interrupt((_bytes, path) => {
    if (path.includes('batch')) sent.push(path);
    return null;
  });
  // The scans of Helium are downloaded, to recognize them.
  proxy.answer(() => 500);
  world.start(proxy.through);
  await waitUntil(async () => (await countWaiting(1)) === 2);
  expect(sent).toEqual([]);
  const photo = createPhoto(1_000);
  await patch(id, { photo: toUpload(photo) });
  proxy.answer(() => null);
  await waitUntil(async () => (await readPhoto(id)) === computeHash(photo) && (await countWaiting()) === 0);
  await expectNoEcho(world);
  expect(await readPhoto(cleared)).toBeNull();
  expect(await object(cleared)).toMatchObject({ photo_id: null });
  expect(await object(id)).toMatchObject({ photo_id: expect.any(String) });
  expect(await world.conflicts()).toEqual([]);
});
