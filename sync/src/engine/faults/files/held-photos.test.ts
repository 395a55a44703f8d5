/** Held records with files. Their bytes are no longer in memory when the records are retried. */
import { randomUUID } from 'node:crypto';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { foreignKey } from '../../../helium/helium-gateway.fixture.ts';
import { createOperations } from '../../../operations/operations.ts';
import { expectNoEcho, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { computeHash, toUpload } from '../../testing/photo-uploads.fixture.ts';
import { quickRateLimiter, quickTiming } from '../../testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

const schemaXml = `<?xml version="1.0" encoding="UTF-8"?>
<data-model>
  <model name="farmer" label="Farmer">
    <field name="name" label="Name" type="text"/>
    <has-many model="visit" name="visits"/>
    <display>{name}</display>
  </model>
  <model name="visit" label="Visit">
    <field name="note" label="Note" type="text"/>
    <field name="photo" label="Photo" type="photo"/>
    <belongs-to model="farmer"/>
    <display>{note}</display>
  </model>
  <model name="user" label="User"><field name="name" label="Name" type="text"/><display>{name}</display></model>
</data-model>
`;

let world: SyncWorld;
let wake: () => void;

beforeAll(async () => {
  world = await createSyncWorld({
    tables: { farmer: ['name text'], visit: ['note text', 'photo bytea', 'farmer_fk uuid'] },
    sql: foreignKey('visit', 'farmer_fk', 'farmer'),
    schemaXml,
    // A file that follows its record was not found by chance.
    timing: { files: { ...quickTiming.files, idleCheckMs: 3_600_000 } },
  });
  const run = world.start();
  wake = () => run.wake();
});
beforeEach(() => waitUntil(() => world.figures().journeySyncStatus === 'Live'));
afterAll(() => world.stop());

const putVisit = (id: string, photo: Buffer, fields: object) =>
  world.edit({
    method: 'put',
    object: { type: 'visit', id, photo: toUpload(photo), ...fields },
  });

async function photoInHelium(id: string): Promise<string | undefined> {
  const { rows } = await world.sql(`select encode(sha256(photo), 'hex') as hash from $s.visit where _id_ = $1`, [id]);
  return rows[0]?.hash;
}

test('syncs photos with their parked visits, while others keep flowing', async () => {
  const [farmer, one, other] = [randomUUID(), randomUUID(), randomUUID()];
  const [photo, otherPhoto] = [createPhoto(1_000), createPhoto(1_000)];
  await putVisit(one, photo, { farmer_id: farmer });
  await putVisit(other, otherPhoto, { farmer_id: farmer });
  await waitUntil(() => world.figures().parked === 2);
  await world.edit({ method: 'put', object: { type: 'farmer', id: farmer, name: 'comes late' } });
  await waitUntil(async () => (await photoInHelium(one)) === computeHash(photo));
  await waitUntil(async () => (await photoInHelium(other)) === computeHash(otherPhoto));
  await waitUntil(() => world.figures().parked === 0);
  await expectNoEcho(world);
});

test('syncs the photo of a retried dead letter', async () => {
  const [id, photo] = [randomUUID(), createPhoto(1_000)];
  await world.sql(`alter table $s.visit add constraint not_yet check (note <> 'not yet')`);
  await putVisit(id, photo, { note: 'not yet' });
  await waitUntil(() => world.figures().deadLetters === 1);
  await world.sql('alter table $s.visit drop constraint not_yet');
  const numbers = (await world.held()).map(({ no }) => no);
  expect(await createOperations(world.databases, quickRateLimiter()).retry(world.integration, { numbers })).toBe(1);
  wake();
  await waitUntil(async () => (await photoInHelium(id)) === computeHash(photo));
  await waitUntil(() => world.figures().deadLetters === 0);
  await expectNoEcho(world);
});

test('syncs a parked visit without its replaced photo until that is uploaded, and delays no others', async () => {
  const [farmer, visit, other, lateId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  await putVisit(visit, createPhoto(1_000), { farmer_id: farmer });
  await waitUntil(() => world.figures().parked === 1);
  await world.edit({ method: 'patch', object: { type: 'visit', id: visit, note: 'taken again', photo_id: lateId } });
  await world.edit({ method: 'put', object: { type: 'farmer', id: farmer, name: 'comes late' } });
  await world.edit({ method: 'put', object: { type: 'farmer', id: other, name: 'comes after' } });
  await waitUntil(async () => (await world.sql('select from $s.farmer where _id_ = $1', [other])).rowCount);
  await waitUntil(() => world.figures().parked === 0);
  const { rows } = await world.sql('select note, photo from $s.visit where _id_ = $1', [visit]);
  expect(rows).toEqual([{ note: 'taken again', photo: null }]);
  await expectNoEcho(world);

  const photo = createPhoto(1_000);
  await putVisit(visit, photo, { note: 'taken again', farmer_id: farmer });
  await waitUntil(async () => (await photoInHelium(visit)) === computeHash(photo));
  await expectNoEcho(world);
});

test('syncs a dead letter without its photo when it was replaced twice and is not uploaded', async () => {
  const [id, other, first] = [randomUUID(), randomUUID(), createPhoto(1_000)];
  await putVisit(id, first, { note: 'as it was' });
  await waitUntil(async () => (await photoInHelium(id)) === computeHash(first));
  await world.sql(`alter table $s.visit add constraint refused check (note <> 'refused')`);
  await putVisit(id, createPhoto(1_000), { note: 'refused' });
  await waitUntil(() => world.figures().deadLetters === 1);
  await world.edit({ method: 'patch', object: { type: 'visit', id, note: 'now', photo_id: randomUUID() } });
  await world.edit({ method: 'put', object: { type: 'farmer', id: other, name: 'comes after' } });
  await waitUntil(async () => (await world.sql('select from $s.farmer where _id_ = $1', [other])).rowCount);
  await waitUntil(() => world.figures().deadLetters === 0);
  const { rows } = await world.sql('select note from $s.visit where _id_ = $1', [id]);
  expect(rows).toEqual([{ note: 'now' }]);
  expect(await photoInHelium(id)).toBe(computeHash(first));
  await expectNoEcho(world);

  const photo = createPhoto(1_000);
  await putVisit(id, photo, { note: 'now' });
  await waitUntil(async () => (await photoInHelium(id)) === computeHash(photo));
  await expectNoEcho(world);
});

test('clears a photo that was cleared in Journey while its row was locked', async () => {
  const [id, photo] = [randomUUID(), createPhoto(1_000)];
  await putVisit(id, photo, { note: 'with a photo' });
  await waitUntil(async () => (await photoInHelium(id)) === computeHash(photo));
  const app = await world.helium.connect();
  await app.query('begin');
  await app.query('select from visit where _id_ = $1 for update', [id]);
  await world.edit({ method: 'patch', object: { type: 'visit', id, photo_id: null } });
  await waitUntil(() => world.figures().waiting === 1);
  await app.query('commit');
  await waitUntil(async () => (await photoInHelium(id)) === null);
  await expectNoEcho(world);
});
