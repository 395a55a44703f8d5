/**
 * Applies an op-log page whose files are too large for one transaction, so its parts are applied
 * one after another.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { expectNoEcho, waitUntil } from '../faults/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../testing/sync-world.fixture.ts';
import { visitWithPhoto } from '../testing/visit-with-photo.fixture.ts';

/** More than fits into one part. */
const part = 33 * 1024 * 1024;
/** Transferring such a file takes long on a busy machine. */
const waitUntilSynced = (state: () => Promise<boolean>) => vi.waitUntil(state, { timeout: 200_000, interval: 50 });

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld({
    tables: { visit: ['note text', 'photo bytea'] },
    sql: '',
    schemaXml: visitWithPhoto,
    timing: { callTimeoutMs: 200_000 },
  });
});
afterEach(() => world.stop());

const put = (id: string, note: string, photo?: Buffer) =>
  world.edit({
    method: 'put',
    object: {
      type: 'visit',
      id,
      note,
      ...(photo && { photo: { base64: photo.toString('base64'), filename: 'field.jpg' } }),
    },
  });

async function notes(): Promise<Record<string, string>> {
  const { rows } = await world.sql('select _id_::text as id, note from $s.visit');
  return Object.fromEntries(rows.map(({ id, note }) => [id, note]));
}

async function opLogCursor(): Promise<string | undefined> {
  const { rows } = await world.sql('select op_log_cursor::text as cursor from __portal_sync__.run');
  return rows[0]?.cursor;
}

test('moves the cursor with each applied part, and resumes from there when a later part fails', async () => {
  const [first, large, failing, last] = Array.from({ length: 4 }, () => randomUUID());
  const photo = createPhoto(part);
  const run = world.startWithRestarts();
  await put(failing ?? '', 'as it was');
  await put(first ?? '', 'as it was');
  await waitUntil(async () => Object.keys(await notes()).length === 2);
  await expectNoEcho(world);
  const before = await opLogCursor();
  await run.stop();

  // Such a failure is temporary, and no record causes it.
  await world.sql(`
    create function $s.fail() returns trigger language plpgsql as
      $$ begin raise exception 'not now' using errcode = 'serialization_failure'; end $$;
    create trigger fail before update on $s.visit for each row when (new._id_ = '${failing}') execute function $s.fail()`);
  await put(first ?? '', 'changed');
  await put(large ?? '', 'large', photo);
  await put(failing ?? '', 'changed');
  await put(last ?? '', 'new');
  const retried = world.startWithRestarts();
  await waitUntilSynced(async () => world.log.some((line) => line.startsWith('WARNING Journey → Helium: not now')));
  // The first part is committed, and the cursor is directly behind it.
  expect(await notes()).toEqual({ [`${first}`]: 'changed', [`${large}`]: 'large', [`${failing}`]: 'as it was' });
  expect(Number(await opLogCursor()) - Number(before)).toBe(2);
  await world.sql('drop trigger fail on $s.visit');

  await waitUntilSynced(async () => Object.keys(await notes()).length === 4);
  expect(await notes()).toMatchObject({ [`${failing}`]: 'changed', [`${last}`]: 'new' });
  await expectNoEcho(world);
  expect(Number(await opLogCursor()) - Number(before)).toBe(4);
  const { rows } = await world.sql(`select encode(sha256(photo), 'hex') as hash from $s.visit where _id_ = $1`, [
    large,
  ]);
  expect(rows).toEqual([{ hash: createHash('sha256').update(photo).digest('hex') }]);
  expect(await world.conflicts()).toEqual([]);
  expect([...retried.failures, ...retried.interruptions]).toEqual([]);
}, 300_000);
