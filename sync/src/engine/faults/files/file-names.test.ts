/** The names and types of files: they belong to a field, not to the bytes. */
import { randomUUID } from 'node:crypto';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { expectNoEcho, findInJourney, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { type FileProxy, startFileProxy } from '../../testing/file-proxy.fixture.ts';
import { toUpload } from '../../testing/photo-uploads.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';
import { fileColumns } from '../../testing/visit-with-photo.fixture.ts';

const schemaXml = `<?xml version="1.0" encoding="UTF-8"?>
<data-model>
  <model name="visit" label="Visit">
    <field name="note" label="Note" type="text"/>
    <field name="photo" label="Photo" type="photo"/>
    <field name="report" label="Report" type="attachment" media="any"/>
    <display>{note}</display>
  </model>
  <model name="user" label="User"><field name="name" label="Name" type="text"/><display>{name}</display></model>
</data-model>
`;

let world: SyncWorld;
let proxy: FileProxy;

const text = z.optional(z.nullable(z.string()));
/** Also of an object that Journey does not have. */
const objectSchema = z.object({ note: text, photo_id: text, report_id: text });

const start = async () => {
  world.start(proxy.through);
  await waitUntil(() => world.figures().journeySyncStatus === 'Live');
};

beforeAll(async () => {
  world = await createSyncWorld({
    tables: { visit: ['note text', ...fileColumns('photo'), ...fileColumns('report')] },
    sql: '',
    schemaXml,
  });
  proxy = await startFileProxy(world);
});
beforeEach(async () => {
  await world.sql('delete from __portal_sync__.conflict');
  proxy.answer(() => null);
  proxy.downloads.length = 0;
  await start();
});
afterEach(() => world.stopRuns());
afterAll(async () => {
  await proxy.stop();
  await world.stop();
});

const put = (id: string, fields: object) => world.edit({ method: 'put', object: { type: 'visit', id, ...fields } });
const patch = (id: string, fields: object) => world.edit({ method: 'patch', object: { type: 'visit', id, ...fields } });

const insert = (id: string, photo: Buffer, name: string | null) =>
  world.sql(
    `insert into $s.visit (_id_, _tstamp_, photo, photo_fname__, photo_mtype__) values ($1, now(), $2, $3, 'image/jpeg')`,
    [id, photo, name],
  );

const rename = (id: string, name: string | null, type = 'image/jpeg') =>
  world.sql('update $s.visit set photo_fname__ = $2, photo_mtype__ = $3, _tstamp_ = now() where _id_ = $1', [
    id,
    name,
    type,
  ]);

async function inHelium(id: string): Promise<Record<string, unknown> | undefined> {
  const { rows } = await world.sql(
    `select note, photo, photo_fname__ as photo_name, photo_mtype__ as photo_type, report,
       report_fname__ as report_name, report_mtype__ as report_type
     from $s.visit where _id_ = $1`,
    [id],
  );
  return rows[0];
}

async function readObject(id: string): Promise<z.infer<typeof objectSchema>> {
  return objectSchema.parse((await findInJourney(world, 'visit', id)) ?? {});
}

/** Journey's name of a file; undefined when there is none. */
async function journeyName(id: string, field: 'photo' | 'report' = 'photo'): Promise<string | undefined> {
  const fileId = (await readObject(id))[`${field}_id`];
  const { rows } = await world.journeySql('select file_name from attachment where id = $1', [fileId ?? null]);
  return rows[0]?.file_name;
}

test('syncs a new name from Helium to Journey and back with a new type, for the same bytes', async () => {
  const [id, photo] = [randomUUID(), createPhoto(1_000)];
  await insert(id, photo, 'First.JPG');
  await waitUntil(async () => (await journeyName(id)) === 'first.jpg');
  // Until the file has come back in the op-log, its id is not known, and the rename may have to
  // fetch it.
  await expectNoEcho(world);
  await rename(id, 'Café 2.PNG', 'image/png');
  await waitUntil(async () => (await journeyName(id)) === 'cafe 2.png');
  await expectNoEcho(world);
  expect(await inHelium(id)).toMatchObject({ photo, photo_name: 'Café 2.PNG', photo_type: 'image/png' });
  expect(proxy.downloads).toEqual([]);

  await patch(id, { photo: toUpload(photo, 'third.jpg') });
  await waitUntil(async () => (await inHelium(id))?.photo_name === 'third.jpg');
  await expectNoEcho(world);
  expect(await inHelium(id)).toMatchObject({ photo, photo_type: 'image/jpeg' });
  expect(await journeyName(id)).toBe('third.jpg');
  expect(await world.conflicts()).toEqual([]);
});

test('keeps both names of the same bytes in two fields of a record', async () => {
  const [id, photo] = [randomUUID(), createPhoto(1_000)];
  await put(id, { photo: toUpload(photo, 'a.jpg'), report: toUpload(photo, 'b.pdf') });
  await waitUntil(async () => (await inHelium(id))?.photo && (await inHelium(id))?.report);
  await expectNoEcho(world);
  expect(await inHelium(id)).toMatchObject({
    photo_name: 'a.jpg',
    photo_type: 'image/jpeg',
    report: photo,
    report_name: 'b.pdf',
    report_type: 'application/pdf',
  });
  expect([await journeyName(id), await journeyName(id, 'report')]).toEqual(['a.jpg', 'b.pdf']);
});

test.each([
  ['helium', 'ours.jpg'],
  ['journey', 'theirs.jpg'],
])('records a conflict of two names for the same bytes, and keeps no bytes, where %s wins', async (winner, name) => {
  const [id, photo] = [randomUUID(), createPhoto(1_000)];
  await put(id, { photo: toUpload(photo, 'both.jpg') });
  await waitUntil(async () => (await inHelium(id))?.photo_name === 'both.jpg');
  await expectNoEcho(world);
  // While Journey's file waits, Helium's is not sent.
  proxy.answer(() => 500);
  const hour = 3_600_000;
  world.deployment.setClockSkew(winner === 'journey' ? hour : -hour);
  await patch(id, { photo: toUpload(photo, 'theirs.jpg') });
  world.deployment.setClockSkew(0);
  await waitUntil(async () => (await world.sql('select from __portal_sync__.file_wait')).rowCount);
  await rename(id, 'ours.jpg');
  proxy.answer(() => null);
  await waitUntil(async () => (await world.conflicts()).length > 0);
  await waitUntil(async () => (await journeyName(id)) === name && (await inHelium(id))?.photo_name === name);
  await expectNoEcho(world);
  expect(await world.conflicts()).toMatchObject([
    {
      column: 'photo',
      helium: expect.stringMatching(/^sha256:.*\/ours\.jpg$/),
      journey: expect.stringMatching(/^sha256:.*\/theirs\.jpg$/),
      winner,
      files: [],
    },
  ]);
});

test('keeps a name when the other side has none for the same bytes', async () => {
  proxy.answer(() => 'nameless');
  const [named, cleared, fresh, photo] = [randomUUID(), randomUUID(), randomUUID(), createPhoto(1_000)];
  // Journey does not state the name of the file that a device sends again.
  await insert(named, photo, 'Farm.jpg');
  await waitUntil(async () => (await journeyName(named)) === 'farm.jpg');
  await patch(named, { photo: toUpload(photo, 'unknown.jpg') });
  await waitUntil(() => proxy.downloads.length > 0);
  // An app removes a name.
  await insert(cleared, photo, 'kept.jpg');
  await waitUntil(async () => (await journeyName(cleared)) === 'kept.jpg');
  await rename(cleared, null);
  // A file whose name Journey does not state.
  const other = createPhoto(1_000);
  await put(fresh, { photo: toUpload(other, 'other.jpg') });
  await waitUntil(async () => (await inHelium(fresh))?.photo);
  await expectNoEcho(world);
  expect((await inHelium(named))?.photo_name).toBe('Farm.jpg');
  expect(await journeyName(cleared)).toBe('kept.jpg');
  expect((await inHelium(fresh))?.photo_name).toMatch(/^[0-9a-f-]{36}\.jpg$/);
  expect(await journeyName(fresh)).toBe('other.jpg');
  await rename(fresh, 'given.jpg');
  await waitUntil(async () => (await journeyName(fresh)) === 'given.jpg');
  await rename(cleared, 'again.jpg');
  await waitUntil(async () => (await journeyName(cleared)) === 'again.jpg');
  await expectNoEcho(world);
  expect(await world.conflicts()).toEqual([]);
});

test('neither sends nor downloads files whose names were not known before, and syncs later names', async () => {
  const [id, sent] = [randomUUID(), randomUUID()];
  await put(id, { photo: toUpload(createPhoto(1_000), 'received.jpg') });
  await insert(sent, createPhoto(1_000), 'Sent.jpg');
  await waitUntil(async () => (await inHelium(id))?.photo && (await journeyName(sent)));
  await expectNoEcho(world);
  await world.stopRuns();
  const [photoId, downloads] = [await journeyName(sent), proxy.downloads.length];
  await world.sql(`update __portal_sync__.attachment set value = split_part(value, '/', 1)`);
  await world.sql(
    `update __portal_sync__.record set journey = journey::jsonb || jsonb_build_object('photo', split_part(journey ->> 'photo', '/', 1))`,
  );
  await start();
  for (const one of [id, sent])
    await world.sql(`update $s.visit set note = 'of Helium', _tstamp_ = now() where _id_ = $1`, [one]);
  for (const one of [id, sent]) await waitUntil(async () => (await readObject(one)).note === 'of Helium');
  for (const one of [id, sent]) await patch(one, { note: 'of a device' });
  for (const one of [id, sent]) await waitUntil(async () => (await inHelium(one))?.note === 'of a device');
  await expectNoEcho(world);
  expect([await journeyName(sent), proxy.downloads.length]).toEqual([photoId, downloads]);
  await rename(sent, 'renamed.jpg');
  await waitUntil(async () => (await journeyName(sent)) === 'renamed.jpg');
  await expectNoEcho(world);
});
