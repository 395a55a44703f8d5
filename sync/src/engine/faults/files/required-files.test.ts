/** Files in columns that may not be null: the row is inserted together with them. */
import { randomUUID } from 'node:crypto';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { foreignKey } from '../../../helium/helium-gateway.fixture.ts';
import { expectNoEcho, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { type FileProxy, startFileProxy } from '../../testing/file-proxy.fixture.ts';
import { computeHash, toUpload } from '../../testing/photo-uploads.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

const schemaXml = `<?xml version="1.0" encoding="UTF-8"?>
<data-model>
  <model name="visit" label="Visit">
    <field name="note" label="Note" type="text"/>
    <field name="photo" label="Photo" type="photo"/>
    <field name="signed" label="Signed" type="signature"/>
    <has-many model="remark" name="remarks"/>
    <display>{note}</display>
  </model>
  <model name="remark" label="Remark">
    <field name="text" label="Text" type="text"/>
    <belongs-to model="visit"/>
    <display>{text}</display>
  </model>
  <model name="user" label="User"><field name="name" label="Name" type="text"/><display>{name}</display></model>
</data-model>
`;

let world: SyncWorld;
let proxy: FileProxy;

beforeAll(async () => {
  world = await createSyncWorld({
    tables: {
      visit: [
        'note text',
        'photo bytea not null check (octet_length(photo) > 0)',
        'photo_fname__ varchar(255) not null',
        'photo_size__ integer',
        'signed bytea not null',
      ],
      remark: ['text text', 'visit_fk uuid'],
    },
    sql: foreignKey('remark', 'visit_fk', 'visit'),
    schemaXml,
  });
  proxy = await startFileProxy(world);
  world.start(proxy.through);
});
beforeEach(() => waitUntil(() => world.figures().journeySyncStatus === 'Live'));
afterAll(async () => {
  await proxy.stop();
  await world.stop();
});

async function row(id: string) {
  const { rows } = await world.sql(
    `select note, encode(sha256(photo), 'hex') as photo, photo_size__::int as size, encode(sha256(signed), 'hex') as signed
     from $s.visit where _id_ = $1`,
    [id],
  );
  return rows[0];
}

test('inserts a row together with the files that it requires, each downloaded once', async () => {
  const [id, remark, photo, signed] = [randomUUID(), randomUUID(), createPhoto(1_000), createPhoto(500)];
  let failures = 0;
  proxy.answer(() => {
    failures += 1;
    return failures <= 2 ? 500 : null;
  });
  await world.edit(
    { method: 'put', object: { type: 'visit', id, note: 'both', photo: toUpload(photo), signed: toUpload(signed) } },
    { method: 'put', object: { type: 'remark', id: remark, text: 'of it', visit_id: id } },
  );
  await waitUntil(() => row(id));
  const whole = { note: 'both', photo: computeHash(photo), size: photo.length, signed: computeHash(signed) };
  expect(await row(id)).toEqual(whole);
  expect(proxy.downloads).toHaveLength(4);
  await waitUntil(async () => (await world.sql('select from $s.remark where visit_fk = $1', [id])).rowCount);
  await waitUntil(() => world.figures().waiting + world.figures().parked + world.figures().waitingFiles === 0);
  await expectNoEcho(world);
});

test('holds only the record of a required file that is announced, with its last edits', async () => {
  const [id, other, photo, signed] = [randomUUID(), randomUUID(), createPhoto(1_000), createPhoto(500)];
  proxy.answer(() => null);
  await world.edit({
    method: 'put',
    object: { type: 'visit', id, note: 'first', photo_id: randomUUID(), signed: toUpload(signed) },
  });
  await waitUntil(async () => (await world.held()).length === 1);
  expect(await world.held()).toMatchObject([{ id, state: 'waiting', reason: expect.stringContaining('photo') }]);
  await world.edit(
    { method: 'patch', object: { type: 'visit', id, note: 'second' } },
    { method: 'put', object: { type: 'remark', id: other, text: 'behind it' } },
  );
  await waitUntil(async () => (await world.sql('select from $s.remark where _id_ = $1', [other])).rowCount);
  expect(await row(id)).toBeUndefined();
  await world.edit({ method: 'patch', object: { type: 'visit', id, photo: toUpload(photo) } });
  await waitUntil(() => row(id));
  expect(await row(id)).toMatchObject({ note: 'second', photo: computeHash(photo), signed: computeHash(signed) });
  await waitUntil(() => world.figures().waiting + world.figures().waitingFiles === 0);
  await expectNoEcho(world);
});
