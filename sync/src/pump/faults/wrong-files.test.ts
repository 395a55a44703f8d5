/** Answers to a download that are not the file, and files that an earlier version stored from them. */
import { randomUUID } from 'node:crypto';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { toBlobValue } from '../../journey/known-attachments.ts';
import { createSyncWorld, type SyncWorld } from '../testing/sync-world.fixture.ts';
import { visitWithPhoto } from '../testing/visit-with-photo.fixture.ts';
import { expectNoEcho, waitUntil } from './fault-steps.fixture.ts';

let world: SyncWorld;
let wake: () => void;

beforeAll(async () => {
  world = await createSyncWorld({
    tables: { visit: ['note text', 'photo bytea', 'photo_fname__ text', 'photo_mtype__ text', 'photo_size__ bigint'] },
    sql: '',
    schemaXml: visitWithPhoto,
  });
  await world.sql(`
    create table public.stored (hash text);
    create function public.remember() returns trigger language plpgsql as
      $$ begin insert into public.stored values (encode(sha256(new.photo), 'hex')); return null; end $$;
    create trigger remember after insert or update on $s.visit
      for each row when (new.photo is not null) execute function public.remember()`);
  const run = world.start();
  wake = () => run.wake();
  await waitUntil(() => world.figures().journeySyncStatus === 'Live');
});
afterEach(() => world.journey.faults.clear());
afterAll(() => world.stop());

const put = (id: string, photo: Buffer) =>
  world.edit({
    method: 'put',
    object: { type: 'visit', id, photo: { base64: photo.toString('base64'), filename: 'field.jpg' } },
  });

async function readPhoto(id: string) {
  const { rows } = await world.sql(
    `select 'sha256:' || encode(sha256(photo), 'hex') as hash, photo_fname__ as name, photo_mtype__ as type
       from $s.visit where _id_ = $1`,
    [id],
  );
  return rows[0];
}

test('stores the photo, and never the maintenance page that was sent in its place', async () => {
  const [id, photo] = [randomUUID(), createPhoto(1_000)];
  world.journey.faults.set({ mode: 'html', path: 'downloads', times: 2 });
  await put(id, photo);
  await waitUntil(async () => (await readPhoto(id))?.hash === toBlobValue(photo));
  expect(await readPhoto(id)).toMatchObject({ name: 'field.jpg', type: 'image/jpeg' });
  const { rows } = await world.sql('select hash from public.stored');
  expect(rows.map(({ hash }) => `sha256:${hash}`)).toEqual([toBlobValue(photo)]);
  await expectNoEcho(world);
});

test('a comparison downloads a file again that was stored from a wrong answer, and Journey keeps its photo', async () => {
  const [id, unchanged, photo] = [randomUUID(), randomUUID(), createPhoto(1_000)];
  await put(id, photo);
  await put(unchanged, createPhoto(1_000));
  await waitUntil(async () => (await readPhoto(id))?.hash && (await readPhoto(unchanged))?.hash);
  await expectNoEcho(world);

  const page = Buffer.from('<!doctype html>Maintenance');
  const session = await world.helium.connect();
  await session.query('set session_replication_role = replica');
  await session.query(`update visit set photo = $2, photo_mtype__ = 'text/html' where _id_ = $1`, [id, page]);
  for (const [table, column] of [
    ['record', 'journey'],
    ['attachment', 'hash'],
  ])
    await session.query(
      `update __portal_sync__.${table} set ${column} = replace(${column}::text, $1, $2)::${column === 'hash' ? 'text' : 'jsonb'}`,
      [toBlobValue(photo), toBlobValue(page)],
    );
  await world.sql('update __portal_sync__.run set comparison_requested_at = now()');
  wake();
  await waitUntil(async () => (await readPhoto(id))?.hash === toBlobValue(photo));
  expect(await readPhoto(id)).toMatchObject({ type: 'image/jpeg' });
  await waitUntil(() => world.log.some((line) => line.startsWith('WARNING Compared visit:')));
  expect(world.log).toContainEqual(expect.stringContaining('1 file does not fit its field and is downloaded again.'));
  await expectNoEcho(world);
  expect(await world.conflicts()).toEqual([]);
});
