/** Rounds of enrollment that fail, beside the sync of records. */
import { randomUUID } from 'node:crypto';
import type { Enrollment } from '@portal/contract/sync/enrollment';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readEnrollmentStatus, requestEnrollmentRetry } from '../../../enrollment/enrollment-status.store.ts';
import { waitForLog, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

const enrollment: Enrollment = {
  type: 'user',
  enabled: true,
  heliumObjectName: 'User',
  journeyObjectName: 'user',
  updateIntervalMins: 60,
  allowedAccessFieldName: 'allowed',
  urlFieldName: 'url',
};

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld({
    tables: { user: ['name text', 'allowed boolean', 'url text'] },
    sql: '',
    timing: { enrollmentRetryMs: 100 },
  });
  world.deployment.setMultiDevice(false);
});
afterEach(() => world.stop());

const start = () => world.start((config) => ({ ...config, journeyToHeliumEnrollment: enrollment }));
const readUser = async (id: string) => (await world.sql('select * from $s."user" where _id_ = $1', [id])).rows[0];

async function addUser(): Promise<string> {
  const id = randomUUID();
  await world.edit({ method: 'put', object: { type: 'user', id, name: 'Thabo' } });
  return id;
}

test('repeats a round soon whose list of users was not whole', async () => {
  const id = await addUser();
  world.journey.faults.set({ mode: 'empty-list', path: '/users$' });
  start();
  await waitForLog(world, /WARNING Enrollment: Journey's list of users is not whole: it has 0 entries, but reports/);
  await waitUntil(() => readUser(id));
  expect(await readUser(id)).toMatchObject({ allowed: null, url: null });
  const status = async () =>
    (await world.sql('select problem, users, total from __portal_sync__.enrollment_status')).rows[0];
  await waitUntil(async () => (await status())?.problem?.startsWith("Journey's list of users is not whole"));
  world.journey.faults.clear();
  await waitUntil(async () => (await readUser(id)).allowed);
  await waitUntil(async () => (await status()).problem === null);
  expect(await status()).toEqual({ problem: null, users: 1, total: 0 });
});

test.each([
  ['a row with P0001', 'for each row', 'P0001', 'row .* of user was left as it is. no links here'],
  ['a row with XX000', 'for each row', 'XX000', 'row .* of user was left as it is. no links here'],
  ['each statement', 'for each statement', 'XX000', 'Helium refuses every change of user: no links here'],
])("continues to sync records while the app's trigger refuses %s during enrollment", async (_, scope, code, line) => {
  const id = await addUser();
  await world.sql(`create function $s.refuse() returns trigger language plpgsql as
    $$ begin raise exception 'no links here' using errcode = '${code}'; end $$;
    create trigger refuse before update of url on $s."user" ${scope} execute function $s.refuse()`);
  // The first round must find the row.
  world.journey.faults.set({ mode: 'empty-list', path: '/users$' });
  const run = start();
  await waitUntil(() => readUser(id));
  world.journey.faults.clear();
  let hasEnded = false;
  run.ended.finally(() => {
    hasEnded = true;
  });
  await waitForLog(world, new RegExp(`WARNING Enrollment: ${line}`));
  const later = await addUser();
  await waitUntil(() => readUser(later));
  expect(hasEnded).toBe(false);
});

test('counts the rows that wait, and attempts them again at once when an operator retries them', async () => {
  const id = await addUser();
  await world.sql(`create function $s.refuse() returns trigger language plpgsql as
    $$ begin raise exception 'no links here'; end $$;
    create trigger refuse before update of url on $s."user" for each row execute function $s.refuse()`);
  world.journey.faults.set({ mode: 'empty-list', path: '/users$' });
  const run = start();
  await waitUntil(() => world.figures().waitingEnrollment === 1);
  await waitUntil(() => readUser(id));
  world.journey.faults.clear();
  await waitForLog(world, /WARNING Enrollment: row .* of user was left as it is/);
  const { stateKey } = world.figures();
  const waiting = async () => (await readEnrollmentStatus(world.helium.pool, stateKey)).waiting;
  await waitUntil(async () => (await waiting()).length === 1);
  expect(world.figures().waitingEnrollment).toBe(1);
  await world.sql('drop trigger refuse on $s."user"');

  const subjects = (await waiting()).map(({ subject }) => subject);
  expect(await requestEnrollmentRetry(world.helium.pool, stateKey, subjects)).toBe(1);
  run.wake();
  await waitUntil(async () => (await readUser(id)).url);
  await waitUntil(() => world.figures().waitingEnrollment === 0);
  expect(await requestEnrollmentRetry(world.helium.pool, stateKey, null)).toBe(0);
});
