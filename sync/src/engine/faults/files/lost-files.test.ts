// @module-tag long

/** Files that lose a conflict: each is kept with it, or nothing is overwritten. */
import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { SyncConfig } from '@portal/contract/sync/config';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { schema } from '../../../helium/helium-gateway.fixture.ts';
import { createOperations } from '../../../operations/operations.ts';
import { expectNoEcho, findInJourney, waitForLog, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { type FileProxy, startFileProxy } from '../../testing/file-proxy.fixture.ts';
import { computeHash, finishUpload, toUpload } from '../../testing/photo-uploads.fixture.ts';
import type { TestRun } from '../../testing/restarting-run.fixture.ts';
import { quickRateLimiter } from '../../testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';
import { visitWithPhoto } from '../../testing/visit-with-photo.fixture.ts';

const usualLimits = { maxBytes: 1_000_000, maxFileBytes: 100_000, days: 90 };
const limits = { ...usualLimits };
let world: SyncWorld;
let proxy: FileProxy;

beforeAll(async () => {
  world = await createSyncWorld({
    ...visitWithPhoto,
    tables: { visit: [...visitWithPhoto.tables.visit, 'sketch bytea'] },
    keptFiles: limits,
  });
  proxy = await startFileProxy(world);
});
beforeEach(() => {
  Object.assign(limits, usualLimits);
  proxy.answer(() => null);
});
afterEach(() => {
  world.journey.faults.clear();
  return world.stopRuns();
});
afterAll(async () => {
  await proxy.stop();
  await world.stop();
});

type Policy = NonNullable<SyncConfig['conflictPolicy']>;

async function start(conflictPolicy: Policy): Promise<TestRun> {
  const run = world.start((config) => ({ ...proxy.through(config), conflictPolicy }));
  await waitUntil(() => world.figures().journeySyncStatus === 'Live');
  return run;
}

const put = (id: string, fields: object) => world.edit({ method: 'put', object: { type: 'visit', id, ...fields } });
const patch = (id: string, fields: object) => world.edit({ method: 'patch', object: { type: 'visit', id, ...fields } });

async function heliumPhoto(id: string): Promise<string | null | undefined> {
  const { rows } = await world.sql(`select encode(sha256(photo), 'hex') as photo from $s.visit where _id_ = $1`, [id]);
  return rows[0]?.photo;
}

const object = (id: string) => findInJourney(world, 'visit', id);

async function journeyPhoto(id: string): Promise<string | null> {
  const { rows } = await world.journeySql(
    `select encode(sha256(content), 'hex') as photo from attachment where id = $1`,
    [(await object(id))?.photo_id],
  );
  return rows[0]?.photo ?? null;
}

/** Returns the files that are kept with conflicts of a record, by side and hash. */
async function kept(id: string): Promise<object[]> {
  const { rows } = await world.sql(
    `select f.side, f.column_name as "column", f.file_name as "fileName", encode(sha256(f.bytes), 'hex') as hash
     from __portal_sync__.conflict_file f join __portal_sync__.conflict c on c.number = f.conflict
     where c.id = $1 order by f.number`,
    [id],
  );
  return rows;
}

const conflictsOf = async (id: string) => (await world.conflicts()).filter((conflict) => conflict.id === id);

const editHelium = (id: string, photo: Buffer | null) =>
  world.sql(
    `update $s.visit set photo = $2, photo_fname__ = 'office.jpg', photo_mtype__ = 'image/jpeg',
       _tstamp_ = timezone('UTC', now()) where _id_ = $1`,
    [id, photo],
  );

/** Both sides have a photo of their own for this record, and neither was sent yet. */
async function disagree(ours: Buffer, theirs: Buffer): Promise<string> {
  const [id, photoId] = [randomUUID(), randomUUID()];
  await put(id, { note: 'photo to come', photo_id: photoId });
  await waitUntil(async () => (await heliumPhoto(id)) === null);
  await editHelium(id, ours);
  await finishUpload(world, photoId, theirs);
  return id;
}

/** A record that both sides have, with this photo. */
async function share(photo: Buffer): Promise<string> {
  const id = randomUUID();
  await put(id, { note: 'shared', photo: toUpload(photo) });
  await waitUntil(async () => (await heliumPhoto(id)) === computeHash(photo));
  return id;
}

describe.each([['later'], ['helium'], ['journey']] as const)('by the policy %s', (policy) => {
  test('keeps the photo that loses, byte for byte, when both sides replaced it while nothing ran', async () => {
    await start(policy);
    const id = await share(createPhoto(1_000));
    await world.stopRuns();
    const [ours, theirs] = [createPhoto(1_000), createPhoto(1_000)];
    await editHelium(id, ours);
    await patch(id, { photo: toUpload(theirs) });
    await start(policy);
    await waitUntil(async () => (await kept(id)).length === 1);
    await waitUntil(async () => (await heliumPhoto(id)) === (await journeyPhoto(id)));
    const isOurs = (await heliumPhoto(id)) === computeHash(ours);
    expect(await heliumPhoto(id)).toBe(computeHash(isOurs ? ours : theirs));
    expect(await kept(id)).toEqual([
      isOurs
        ? { side: 'journey', column: 'photo', fileName: expect.any(String), hash: computeHash(theirs) }
        : { side: 'helium', column: 'photo', fileName: 'office.jpg', hash: computeHash(ours) },
    ]);
    expect(await conflictsOf(id)).toMatchObject([{ column: 'photo', open: null, files: [{ column: 'photo' }] }]);
    await expectNoEcho(world);
  });
});

describe.each([['helium'], ['journey']] as const)('where %s wins', (winner) => {
  const side = winner === 'helium' ? 'journey' : 'helium';
  const loser = (ours: Buffer, theirs: Buffer) => computeHash(winner === 'helium' ? theirs : ours);

  test('overwrites neither photo while there is no room for the loser, and decides once there is', async () => {
    await start(winner);
    limits.maxBytes = 500;
    const [ours, theirs] = [createPhoto(1_000), createPhoto(1_000)];
    const id = await disagree(ours, theirs);
    await waitUntil(async () => (await conflictsOf(id)).length > 0);
    expect(await conflictsOf(id)).toMatchObject([
      { column: 'photo', winner, open: expect.stringContaining('There is no room for'), files: [] },
    ]);
    await editHeliumNote(id, 'other fields cross');
    await waitUntil(async () => (await object(id))?.note === 'other fields cross');
    expect([await heliumPhoto(id), await journeyPhoto(id)]).toEqual([computeHash(ours), computeHash(theirs)]);
    expect(await kept(id)).toEqual([]);
    limits.maxBytes = usualLimits.maxBytes;
    await waitUntil(async () => (await kept(id)).length === 1);
    expect(await kept(id)).toMatchObject([{ side, hash: loser(ours, theirs) }]);
    expect(await conflictsOf(id)).toMatchObject([{ open: null, winner }]);
    await waitUntil(async () => (await heliumPhoto(id)) === (await journeyPhoto(id)));
    await expectNoEcho(world);
  });

  test('overwrites neither photo when the loser is larger than a kept file may be', async () => {
    await start(winner);
    limits.maxFileBytes = 900;
    const [ours, theirs] = [createPhoto(1_000), createPhoto(1_000)];
    const id = await disagree(ours, theirs);
    await waitUntil(async () => (await conflictsOf(id)).length > 0);
    expect(await conflictsOf(id)).toMatchObject([{ open: expect.stringContaining('sync.keptFiles.maxFileBytes') }]);
    expect([await heliumPhoto(id), await journeyPhoto(id)]).toEqual([computeHash(ours), computeHash(theirs)]);
    limits.maxFileBytes = usualLimits.maxFileBytes;
    await waitUntil(async () => (await kept(id)).length === 1);
    expect(await kept(id)).toMatchObject([{ hash: loser(ours, theirs) }]);
  });
});

const editHeliumNote = (id: string, note: string) =>
  world.sql(`update $s.visit set note = $2, _tstamp_ = timezone('UTC', now()) where _id_ = $1`, [id, note]);

test('keeps the files of a row that Helium edited and Journey deleted, also of unmapped columns, or waits', async () => {
  await start('journey');
  const [sketch, ours] = [createPhoto(500), createPhoto(1_000)];
  const id = await share(createPhoto(1_000));
  await world.stopRuns();
  await editHelium(id, ours);
  await world.sql('update $s.visit set sketch = $2 where _id_ = $1', [id, sketch]);
  await world.edit({ method: 'delete', object: { type: 'visit', id } });
  limits.maxBytes = 500;
  await start('journey');
  await waitUntil(async () => (await world.held()).length > 0);
  expect(await world.held()).toMatchObject([
    { id, state: 'waiting', reason: expect.stringContaining('its files that lose cannot be kept') },
  ]);
  expect(await heliumPhoto(id)).toBe(computeHash(ours));
  expect(await kept(id)).toEqual([]);
  limits.maxBytes = usualLimits.maxBytes;
  await waitUntil(async () => (await heliumPhoto(id)) === undefined);
  expect(await kept(id)).toEqual([
    { side: 'helium', column: 'photo', fileName: 'office.jpg', hash: computeHash(ours) },
    { side: 'helium', column: 'sketch', fileName: null, hash: computeHash(sketch) },
  ]);
  expect(await world.held()).toEqual([]);
});

test.each([
  ['a photo', {}, 'photo'],
  ['a photo and a note', { note: 'edited on the device' }, null],
])('deletes an object to which a device added %s only once the photo is kept', async (_, edit, column) => {
  await start('helium');
  const [other, theirs] = [randomUUID(), createPhoto(1_000)];
  const id = await share(createPhoto(1_000));
  world.journey.faults.set({ mode: 'error500', path: 'batch' });
  proxy.answer(() => 500);
  await world.sql('delete from $s.visit where _id_ = $1', [id]);
  await patch(id, { ...edit, photo: toUpload(theirs) });
  await waitUntil(async () => (await conflictsOf(id)).length > 0);
  expect(await conflictsOf(id)).toMatchObject([
    { column, helium: null, winner: 'helium', open: expect.stringContaining('downloaded first'), files: [] },
  ]);
  world.journey.faults.clear();
  await world.sql(`insert into $s.visit (_id_, _tstamp_, note) values ($1, now(), 'behind it')`, [other]);
  await waitUntil(() => object(other));
  expect(await object(id)).not.toBeNull();

  limits.maxFileBytes = 900;
  proxy.answer(() => null);
  await waitUntil(async () => (await conflictsOf(id))[0]?.open?.includes('sync.keptFiles.maxFileBytes'));
  expect(await object(id)).not.toBeNull();
  limits.maxFileBytes = usualLimits.maxFileBytes;
  await waitUntil(async () => (await object(id)) === null);
  expect(await kept(id)).toMatchObject([{ side: 'journey', column: 'photo', hash: computeHash(theirs) }]);
  expect(await conflictsOf(id)).toMatchObject([{ open: null }]);
  await waitUntil(async () => (await waitingFiles(id)).length === 0);
});

test('deletes an object whose file cannot be kept once an operator skips the file', async () => {
  await start('helium');
  const id = await share(createPhoto(1_000));
  world.journey.faults.set({ mode: 'error500', path: 'batch' });
  proxy.answer(() => 404);
  await world.sql('delete from $s.visit where _id_ = $1', [id]);
  await patch(id, { photo: toUpload(createPhoto(1_000)) });
  await waitUntil(async () => (await conflictsOf(id))[0]?.open?.includes('downloaded first'));
  world.journey.faults.clear();
  const operations = createOperations(world.databases, quickRateLimiter(), limits);
  const isOfRecord = (file: { readonly id: string }) => file.id === id;
  const { files } = await operations.readWaitingFiles(world.integration, { limit: 100 });
  const nos = files.filter(isOfRecord).map(({ no }) => no);
  expect(await operations.skipFiles(world.integration, nos)).toBe(1);
  await waitUntil(async () => (await object(id)) === null);
  expect(await conflictsOf(id)).toMatchObject([{ open: null, winner: 'helium', files: [] }]);
  // It is still tried, as long as files are kept.
  proxy.answer(() => null);
  await operations.retryFiles(world.integration, null);
  await waitUntil(async () => (await kept(id)).length === 1);
  await expectNoEcho(world);
});

async function waitingFiles(id: string): Promise<object[]> {
  return (await world.sql('select state, conflict, reason from __portal_sync__.file_wait where id = $1', [id])).rows;
}

test('keeps the photo that Journey clears and Helium changed', async () => {
  await start('journey');
  const ours = createPhoto(1_000);
  const id = await share(createPhoto(1_000));
  await world.stopRuns();
  await editHelium(id, ours);
  await patch(id, { photo_id: null });
  await start('journey');
  await waitUntil(async () => (await conflictsOf(id)).length > 0);
  await waitUntil(async () => (await heliumPhoto(id)) === ((await journeyPhoto(id)) ?? null));
  const isCleared = (await heliumPhoto(id)) === null;
  expect(await kept(id)).toMatchObject(isCleared ? [{ side: 'helium', hash: computeHash(ours) }] : []);
});

/** Refuses every change of a table for which the condition holds. */
const refuse = (table: string, operation: 'insert' | 'update', condition: string) =>
  world.sql(
    `create or replace function $s.refuse() returns trigger language plpgsql as $f$ begin raise 'not now'; end $f$;
     create trigger refuse after ${operation} on ${table} for each row when (${condition}) execute function $s.refuse()`,
  );

test('keeps nothing while Helium rejects the winner, and then keeps and overwrites at once', async () => {
  await start('journey');
  const [ours, theirs] = [createPhoto(1_000), createPhoto(1_000)];
  await refuse('$s.visit', 'update', `encode(sha256(new.photo), 'hex') = '${computeHash(theirs)}'`);
  const id = await disagree(ours, theirs);
  await waitUntil(async () =>
    (await waitingFiles(id)).some((file) => 'reason' in file && String(file.reason).includes('Helium rejected it')),
  );
  expect([await heliumPhoto(id), await kept(id)]).toEqual([computeHash(ours), []]);
  const { rows } = await world.sql('select number from __portal_sync__.conflict_file where conflict is null');
  expect(rows).toEqual([]);
  await world.sql('drop trigger refuse on $s.visit');
  await waitUntil(async () => (await heliumPhoto(id)) === computeHash(theirs));
  expect(await kept(id)).toMatchObject([{ side: 'helium', hash: computeHash(ours) }]);
});

test('keeps nothing when the transaction fails at its end, and then keeps and overwrites at once', async () => {
  const [ours, theirs] = [createPhoto(1_000), createPhoto(1_000)];
  const run = await start('journey');
  // Its last statement: everything else of the transaction is done by then.
  await refuse('__portal_sync__.attachment', 'insert', `starts_with(new.value, 'sha256:${computeHash(theirs)}')`);
  const id = await disagree(ours, theirs);
  await expect(run.ended).rejects.toThrow('not now');
  expect([await heliumPhoto(id), await kept(id)]).toEqual([computeHash(ours), []]);
  await world.sql('drop trigger refuse on __portal_sync__.attachment');
  await start('journey');
  await waitUntil(async () => (await heliumPhoto(id)) === computeHash(theirs));
  expect(await kept(id)).toMatchObject([{ side: 'helium', hash: computeHash(ours) }]);
});

test('restores a kept photo as an edit of Helium, and keeps the photo that it replaces', async () => {
  await start('journey');
  const [ours, theirs] = [createPhoto(1_000), createPhoto(1_000)];
  const id = await disagree(ours, theirs);
  await waitUntil(async () => (await kept(id)).length === 1);
  // A run may have just locked the row, and the restore would be refused for that reason.
  await world.stopRuns();
  const operations = createOperations(world.databases, quickRateLimiter(), limits);
  const [conflict] = await conflictsOf(id);
  const no = conflict?.files[0]?.no ?? '';
  const { fileName, size, bytes } = await operations.readConflictFile(world.integration, no);
  expect([fileName, size, computeHash(await buffer(bytes))]).toEqual(['office.jpg', ours.length, computeHash(ours)]);

  limits.maxBytes = 500;
  await expect(operations.restoreConflictFile(world.integration, no)).rejects.toThrow(
    'cannot be kept. There is no room',
  );
  expect(await heliumPhoto(id)).toBe(computeHash(theirs));
  limits.maxBytes = usualLimits.maxBytes;
  expect(await operations.restoreConflictFile(world.integration, no)).toEqual({ table: 'visit', id, column: 'photo' });
  expect(await heliumPhoto(id)).toBe(computeHash(ours));
  expect(await kept(id)).toMatchObject([{ hash: computeHash(ours) }, { hash: computeHash(theirs) }]);
  await start('journey');
  await waitUntil(async () => (await journeyPhoto(id)) === computeHash(ours));

  await world.stopRuns();
  await expect(operations.restoreConflictFile(world.integration, no)).rejects.toThrow('has this file already');
  await world.sql('delete from $s.visit where _id_ = $1', [id]);
  await expect(operations.restoreConflictFile(world.integration, no)).rejects.toThrow('no longer has visit');
  await start('journey');
  await waitUntil(async () => (await object(id)) === null);
  await expect(operations.readConflictFile(world.integration, '999999')).rejects.toThrow('no longer kept');
  await expectNoEcho(world);
});

test('removes kept files when their time is over, and says how many', async () => {
  await start('journey');
  const id = await disagree(createPhoto(1_000), createPhoto(1_000));
  await waitUntil(async () => (await kept(id)).length === 1);
  await world.stopRuns();
  await world.sql(
    `update __portal_sync__.conflict_file set kept_at = now() - interval '91 days' where conflict in (
       select number from __portal_sync__.conflict where id = $1)`,
    [id],
  );
  await start('journey');
  await waitForLog(world, /1 file of conflicts older than 90 days removed/);
  expect(await kept(id)).toEqual([]);
  expect(await conflictsOf(id)).toMatchObject([{ column: 'photo', files: [] }]);
});

test('a record that Helium deletes stays deleted, although the answer to its upload was lost', async () => {
  await start('later');
  world.journey.faults.set({ mode: 'drop', path: 'batch' }, { mode: 'refuse', path: 'oplog' });
  const id = randomUUID();
  await world.sql('insert into $s.visit (_id_, _tstamp_, photo) values ($1, now(), $2)', [id, createPhoto(1_000)]);
  await waitUntil(() => object(id));
  await world.stopRuns();
  // The deletion is not read before this transaction ends, so Journey's entry is applied first.
  const session = await world.helium.connect();
  await session.query(`begin; insert into ${schema}.visit (_id_, _tstamp_) values (gen_random_uuid(), now())`);
  await world.sql('delete from $s.visit where _id_ = $1', [id]);
  world.journey.faults.clear();
  await start('later');
  const isApplied = () => world.sql('select from __portal_sync__.record where id = $1 and journey is not null', [id]);
  await waitUntil(async () => (await isApplied()).rowCount === 1);
  await session.query('commit');
  await waitUntil(async () => (await object(id)) === null);
  await expectNoEcho(world);
  // Nothing shows that the file was ours, so it is kept.
  expect(await conflictsOf(id)).toMatchObject([{ column: 'photo', winner: 'helium', files: [{ side: 'journey' }] }]);
  const { rows } = await world.sql(`select change from $s.__he_sync_obj_change__ where object_uuid = $1 order by seq`, [
    id,
  ]);
  expect(rows).toEqual([{ change: 'create' }, { change: 'delete' }]);
});
