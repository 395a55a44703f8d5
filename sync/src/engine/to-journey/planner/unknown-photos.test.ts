/** Helium sends visits that Journey has already, with photos that were never downloaded. */
import { randomUUID } from 'node:crypto';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { findInJourney, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';
import { visitWithPhoto } from '../../testing/visit-with-photo.fixture.ts';

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld({
    ...visitWithPhoto,
  });
});
afterEach(() => world.stop());

const visitSchema = z.object({ note: z.nullable(z.string()), photo_id: z.nullable(z.string()) });

async function readVisit(id: string): Promise<z.infer<typeof visitSchema>> {
  return visitSchema.parse(await findInJourney(world, 'visit', id));
}

test('keeps a photo that only Journey has, and replaces another one once it is kept with a conflict', async () => {
  const [withoutPhoto, withPhoto] = [randomUUID(), randomUUID()];
  const ofDevice = createPhoto(1_000);
  const photo = { base64: ofDevice.toString('base64'), filename: 'field.jpg' };
  for (const id of [withoutPhoto, withPhoto])
    await world.edit({ method: 'put', object: { type: 'visit', id, note: 'same', photo } });
  const { photo_id: photoId } = await readVisit(withPhoto);
  await world.sql(`insert into $s.visit (_id_, _tstamp_, note) values ($1, now(), 'of Helium')`, [withoutPhoto]);
  await world.sql(
    `insert into $s.visit (_id_, _tstamp_, note, photo, photo_fname__) values ($1, now(), 'same', $2, 'ours.jpg')`,
    [withPhoto, Buffer.from('of Helium')],
  );
  world.start((config) => ({ ...config, enableJourneyToHelium: false }));
  await waitUntil(async () => (await readVisit(withoutPhoto)).note === 'of Helium');
  await waitUntil(async () => (await readVisit(withPhoto)).photo_id !== photoId);
  expect((await readVisit(withoutPhoto)).photo_id).not.toBeNull();
  const conflicts = await world.conflicts();
  expect(conflicts).toHaveLength(2);
  expect(conflicts).toContainEqual(
    expect.objectContaining({ id: withoutPhoto, column: 'note', helium: 'of Helium', journey: 'same' }),
  );
  // Of a file that was not downloaded before, only its id is known.
  expect(conflicts).toContainEqual(expect.objectContaining({ id: withPhoto, column: 'photo', journey: photoId }));
  const { rows } = await world.sql('select side, file_name, bytes from __portal_sync__.conflict_file');
  expect(rows).toEqual([{ side: 'journey', file_name: expect.any(String), bytes: ofDevice }]);
});
