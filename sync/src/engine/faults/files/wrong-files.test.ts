/**
 * Answers to a download that are not the file, and files that an earlier version stored from them.
 */
import { randomUUID } from 'node:crypto';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { toBlobValue } from '../../../journey/known-attachments.ts';
import { expectNoEcho, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';
import { visitWithPhoto } from '../../testing/visit-with-photo.fixture.ts';

let world: SyncWorld;
let wake: () => void;

beforeAll(async () => {
  world = await createSyncWorld({
    ...visitWithPhoto,
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

/**
 * Stores another file in both the row and the known state, as a wrong answer did to an earlier
 * version.
 */
async function storeWrongly(id: string, right: Buffer, wrong: Buffer, type: string): Promise<void> {
  const session = await world.helium.connect();
  await session.query('set session_replication_role = replica');
  await session.query('update visit set photo = $2, photo_mtype__ = $3 where _id_ = $1', [id, wrong, type]);
  for (const [table, column] of [
    ['record', 'journey'],
    ['attachment', 'value'],
  ])
    await session.query(
      `update __portal_sync__.${table} set ${column} = replace(${column}::text, $1, $2)::${column === 'value' ? 'text' : 'jsonb'}`,
      [toBlobValue(right), toBlobValue(wrong)],
    );
}

/** Returns what the log says of the files. */
async function compare(): Promise<string> {
  const lines = world.log.length;
  await world.sql('update __portal_sync__.run set comparison_requested_at = now()');
  wake();
  const find = () => world.log.slice(lines).find((line) => line.includes('Compared visit:'));
  await waitUntil(find);
  return find() ?? '';
}

test('a comparison downloads files again that were stored from a wrong answer, and Journey keeps its photo', async () => {
  const [page, cut, unchanged] = [randomUUID(), randomUUID(), randomUUID()];
  const photos = new Map<string, Buffer>([page, cut, unchanged].map((id) => [id, createPhoto(1_000)]));
  const photo = (id: string) => photos.get(id) ?? Buffer.alloc(0);
  for (const [id, bytes] of photos) await put(id, bytes);
  for (const id of photos.keys()) await waitUntil(async () => (await readPhoto(id))?.hash === toBlobValue(photo(id)));
  await expectNoEcho(world);

  await storeWrongly(page, photo(page), Buffer.from('<!doctype html>Maintenance'), 'text/html');
  await storeWrongly(cut, photo(cut), photo(cut).subarray(0, 500), 'image/jpeg');
  expect(await compare()).toContain('2 files that are cut off or do not fit their fields are downloaded again.');
  for (const id of [page, cut]) await waitUntil(async () => (await readPhoto(id))?.hash === toBlobValue(photo(id)));
  expect(await readPhoto(page)).toMatchObject({ name: 'field.jpg', type: 'image/jpeg' });
  await expectNoEcho(world);
  expect(await world.conflicts()).toEqual([]);
});

test('a file that Journey itself has without its end mark is downloaded again by one comparison only', async () => {
  const [id, photo] = [randomUUID(), createPhoto(1_000).subarray(0, 500)];
  await world.sql('insert into $s.visit (_id_, _tstamp_, photo) values ($1, now(), $2)', [id, photo]);
  const known = async (condition: string) =>
    (
      await world.sql(`select from __portal_sync__.attachment where value like $1 || '%' and ${condition}`, [
        toBlobValue(photo),
      ])
    ).rowCount;
  await waitUntil(() => known('true'));
  await expectNoEcho(world);
  // An echo that came before Journey's answer has downloaded it.
  await world.sql('update __portal_sync__.attachment set lacks_end = false');
  expect(await compare()).toContain('1 file that is cut off or does not fit its field is downloaded again.');
  await waitUntil(() => known('lacks_end'));
  expect(await compare()).toContain('all equal');
  expect((await readPhoto(id))?.hash).toBe(toBlobValue(photo));
});
