/** What the sync and its operators do with an app whose owner has code in every place. */
import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import type { SyncConfig } from '@portal/contract/sync/config';
import { Secret } from '@portal/kit/secret';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import { expect, vi } from 'vitest';
import type { OperatorActions } from '../../../integration/operator-actions.ts';
import type { Fields } from '../../../record/fields.ts';
import type { HeliumDatabases } from '../../../sync-state/helium-databases.ts';
import { computeHash, toUpload } from '../../testing/photo-uploads.fixture.ts';
import { enrollment as sessionMode } from '../../testing/played-users.fixture.ts';
import type { SyncWorld } from '../../testing/sync-world.fixture.ts';
import { userMode } from '../../testing/user-mode.fixture.ts';
import { visitWithPhoto } from '../../testing/visit-with-photo.fixture.ts';
import { readHeliumRows, readJourneyRows } from '../../testing/world-rows.fixture.ts';

export interface Tenant {
  readonly world: SyncWorld;
  /** Connects with a login for each app. */
  readonly databases: HeliumDatabases;
  /** Changes rows as the app itself does. */
  asOwner(sql: string, values: unknown[]): Promise<void>;
}

const waitUntil = (state: () => unknown) => vi.waitUntil(state, { timeout: 100_000, interval: 20 });

const start = ({ world, databases }: Tenant, change: Partial<SyncConfig> = {}) =>
  world.start((config) => ({ ...config, ...change }), undefined, databases);

async function readVisit({ world }: Tenant, id: string) {
  const { rows } = await world.sql(`select note, encode(sha256(photo), 'hex') as hash from $s.visit where _id_ = $1`, [
    id,
  ]);
  return rows[0];
}

/** Photos have another form on each side, and the state of the other app never comes to rest. */
const waitUntilEqual = ({ world }: Tenant) =>
  waitUntil(async () => {
    const [helium, journey] = await Promise.all([
      readHeliumRows(world.helium, visitWithPhoto.tables),
      readJourneyRows(world.deployment, visitWithPhoto.tables),
    ]);
    return isDeepStrictEqual(toNotes(helium), toNotes(journey));
  });

const toNotes = (rows: Readonly<Record<string, Fields>>) =>
  Object.fromEntries(Object.entries(rows).map(([id, { note }]) => [id, note]));

const put = ({ world }: Tenant, id: string, fields: object) =>
  world.edit({ method: 'put', object: { type: 'visit', id, ...fields } });

/** Syncs records and photos both ways, finds them, compares both sides, and deletes them. */
export async function syncRecords(tenant: Tenant, operations: OperatorActions): Promise<void> {
  const { world, asOwner } = tenant;
  const { integration, deployment } = world;
  const run = start(tenant);
  const [fromHelium, fromJourney, photo] = [randomUUID(), randomUUID(), createPhoto(1_000)];
  await asOwner(
    `insert into visit (_id_, _tstamp_, note, photo, photo_fname__) values ($1, now(), 'helium', $2, 'a.jpg')`,
    [fromHelium, photo],
  );
  await put(tenant, fromJourney, { note: 'journey', photo: toUpload(photo) });
  await waitUntil(async () => (await readVisit(tenant, fromJourney))?.hash === computeHash(photo));
  await waitUntilEqual(tenant);
  await asOwner(`update visit set note = 'changed' where _id_ = $1`, [fromJourney]);
  await world.edit({ method: 'patch', object: { type: 'visit', id: fromHelium, note: 'changed, too' } });
  await waitUntilEqual(tenant);

  const journeyPassword = new Secret(deployment.password);
  const { signal } = new AbortController();
  const target = { ...integration, journeyPassword, isNew: false };
  expect(await operations.testConnection(target, signal)).toMatchObject({ helium: { reached: true }, problems: [] });
  const find = (search: object) => operations.findRecords(integration, { ...search, journeyPassword }, signal);
  expect((await find({ id: fromHelium })).records).toHaveLength(1);
  expect((await find({ table: 'visit', column: 'note', value: 'changed, too' })).records).toHaveLength(1);
  expect(await operations.readChangeLogBacklogs([integration])).toMatchObject([{ entries: expect.any(Number) }]);
  await operations.requestLookAgain(integration, [{ table: 'visit', id: fromHelium }]);
  await operations.requestComparison(integration);
  run.wake();
  await waitUntil(async () => (await operations.readDrift(integration)).length > 0);
  expect(await operations.readCounts(integration)).not.toEqual({});

  await world.edit({ method: 'delete', object: { type: 'visit', id: fromHelium } });
  await asOwner('delete from visit where _id_ = $1', [fromJourney]);
  await waitUntil(async () => (await readVisit(tenant, fromHelium)) === undefined);
  await waitUntilEqual(tenant);
  expect(await readHeliumRows(world.helium, visitWithPhoto.tables)).toEqual({});
  await run.stop();
}

/** Both sides change a note and a photo. Operators take Helium's note, and restore its photo. */
export async function decideConflicts(tenant: Tenant, operations: OperatorActions): Promise<void> {
  const { world, asOwner } = tenant;
  const { integration } = world;
  const [id, shared, ours, theirs] = [randomUUID(), createPhoto(1_000), createPhoto(1_000), createPhoto(1_000)];
  const first = start(tenant);
  await put(tenant, id, { note: 'shared', photo: toUpload(shared) });
  await waitUntil(async () => (await readVisit(tenant, id))?.hash === computeHash(shared));
  await first.stop();
  await asOwner(
    `update visit set note = 'ours', photo = $2, photo_fname__ = 'a.jpg', _tstamp_ = timezone('UTC', now())
     where _id_ = $1`,
    [id, ours],
  );
  await world.edit({ method: 'patch', object: { type: 'visit', id, note: 'theirs', photo: toUpload(theirs) } });
  const second = start(tenant, { conflictPolicy: 'journey' });
  await waitUntil(async () => (await readVisit(tenant, id))?.hash === computeHash(theirs));
  await waitUntilEqual(tenant);
  await second.stop();

  const { conflicts } = await operations.readConflicts(integration, { limit: 10 });
  // The photo has two when Helium's was compared with the announcement of Journey's.
  expect(new Set(conflicts.map(({ column }) => column))).toEqual(new Set(['note', 'photo']));
  const selection = { field: { table: 'visit', column: 'note' }, after: null };
  const review = { selection, take: 'helium', value: null, by: 'ann' } as const;
  expect(await operations.reviewConflicts(integration, review)).toEqual({ reviewed: 1, refused: [], next: null });
  const no = conflicts.flatMap(({ files }) => files)[0]?.no ?? '';
  const file = await operations.readConflictFile(integration, no);
  expect(computeHash(await buffer(file.bytes))).toBe(computeHash(ours));
  expect(await operations.restoreConflictFile(integration, no)).toEqual({ table: 'visit', id, column: 'photo' });
  expect(await readVisit(tenant, id)).toEqual({ note: 'ours', hash: computeHash(ours) });
}

/** Enrolls a user in each mode, with every request that Helium can make. */
export async function enrollUsers(tenant: Tenant, operations: OperatorActions): Promise<void> {
  const { world, asOwner } = tenant;
  const { integration, deployment } = world;
  const id = randomUUID();
  const read = async (table: string) => (await world.sql(`select * from $s."${table}"`)).rows[0];
  const request = async (table: string, changes: string, isDone: (row: Fields) => boolean) => {
    await asOwner(`update "${table}" set ${changes}`, []);
    await waitUntil(async () => isDone(await read(table)));
  };

  await world.edit({ method: 'put', object: { type: 'user', id, name: 'Thabo' } });
  deployment.setMultiDevice(false);
  const inUserMode = start(tenant, { journeyToHeliumEnrollment: userMode });
  await waitUntil(() => read('user'));
  await request('user', 'reenroll = true', ({ reenroll }) => reenroll === false);
  await inUserMode.stop();

  deployment.setMultiDevice(true);
  const inSessionMode = start(tenant, { journeyToHeliumEnrollment: sessionMode });
  await request('user', 'wantscode = true', ({ wantscode }) => wantscode === false);
  await deployment.device.enroll((await read('user')).code);
  await inSessionMode.stop();
  const again = start(tenant, { journeyToHeliumEnrollment: sessionMode });
  await waitUntil(() => read('devicesession'));
  await request('devicesession', 'reauthenticate = true', ({ reauthenticate }) => reauthenticate === false);
  const countLocks = async () =>
    (await world.sql(`select from __portal_sync__.user_lock where stage = 'locked'`)).rows.length;
  await asOwner('update "user" set locked = true', []);
  await waitUntil(async () => (await countLocks()) === 1);
  await asOwner('update "user" set locked = false', []);
  await waitUntil(async () => (await countLocks()) === 0);
  expect(await operations.readEnrollment(integration)).toMatchObject({ users: 1, problem: null });
  await again.stop();
  await operations.retryEnrollment(integration, null);
}

/** What operators do beside that, with nothing to decide. Deletes the state at last. */
export async function operate({ world }: Tenant, operations: OperatorActions): Promise<void> {
  const { integration, deployment } = world;
  const journeyPassword = new Secret(deployment.password);
  const { signal } = new AbortController();
  const [direction, version] = ['helium-to-journey', '0'] as const;
  expect(await operations.readHeld(integration, { limit: 10 })).toEqual({ records: [], total: 0 });
  expect(await operations.retry(integration, { kind: 'rejected' })).toBe(0);
  expect(await operations.skip(integration, { numbers: ['1'] })).toBe(0);
  expect(await operations.readWaitingFiles(integration, { limit: 10 })).toEqual({ files: [], total: 0 });
  expect(await operations.readDifferences(integration, { limit: 10 })).toEqual({ records: [], total: 0 });
  expect(await operations.retryFiles(integration, null)).toBe(0);
  expect(await operations.skipFiles(integration, ['1'])).toBe(0);
  expect(await operations.removeUnlisted(integration, 'users')).toBe(0);
  expect(await operations.readQuestion(integration)).toBeNull();
  const answer = { questionId: 'none', answer: 'keep-both', fence: world.nextFence() } as const;
  expect(await operations.answerQuestion(integration, answer)).toBe(false);
  expect(await operations.findVersionProblem(integration, { direction, version, journeyPassword }, signal)).toBeNull();
  await operations.moveCursor(integration, { fence: world.nextFence(), direction, version });
  await operations.deleteState(integration, world.nextFence());
}
