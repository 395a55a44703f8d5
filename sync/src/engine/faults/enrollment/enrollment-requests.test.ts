/**
 * Requests that Helium makes by setting flags of users and sessions. In these tests, Journey's
 * users are read every hour, also after a failure: only the change log can cause the calls.
 */
import { randomUUID } from 'node:crypto';
import type { SyncConfig } from '@portal/contract/sync/config';
import type { Enrollment } from '@portal/contract/sync/enrollment';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitForLog, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { enrollment as sessionMode, userKeys } from '../../testing/played-users.fixture.ts';
import { type ResponseProxy, startResponseProxy } from '../../testing/response-proxy.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';
import { userMode, userModeTables } from '../../testing/user-mode.fixture.ts';

let world: SyncWorld;
let proxy: ResponseProxy;

const timing = { enrollmentRetryMs: 3_600_000 };

beforeEach(async () => {
  world = await createSyncWorld({ tables: userModeTables, sql: userKeys, timing });
  proxy = await startResponseProxy(world);
});
afterEach(async () => {
  await world.stop();
  await proxy.stop();
});

/** Starts the integration with this enrollment, and waits until its first round is done. */
async function start(enrollment: Enrollment, change: Partial<SyncConfig> = {}) {
  world.deployment.setMultiDevice(enrollment.type === 'session');
  const rounds = countRounds();
  const run = world.start((config) => proxy.through({ ...config, ...change, journeyToHeliumEnrollment: enrollment }));
  await waitUntil(() => countRounds() > rounds);
  return run;
}

const countRounds = () => world.log.filter((line) => /Enrollment: read/.test(line)).length;

async function addUser(): Promise<string> {
  const id = randomUUID();
  await world.edit({ method: 'put', object: { type: 'user', id, name: 'Thabo' } });
  return id;
}

const setUser = (id: string, cells: string) => world.sql(`update $s."user" set ${cells} where _id_ = $1`, [id]);
const readUser = async (id: string) => (await world.sql('select * from $s."user" where _id_ = $1', [id])).rows[0];

/** The calls that change the user or its sessions, in order. */
const findRequests = (id: string) =>
  proxy.calls
    .filter((call) => call.startsWith(`POST users/${id}/`))
    .map((call) => call.replace(`POST users/${id}/`, ''));

const countLists = () => proxy.calls.filter((call) => call === 'GET users').length;

test('executes all requests of the session mode without waiting for the interval or reading sessions', async () => {
  const id = await addUser();
  const run = await start(sessionMode);
  await waitUntil(() => readUser(id));
  await setUser(id, 'wantscode = true');
  await waitUntil(async () => (await readUser(id)).wantscode === false);
  const session = await world.deployment.device.enroll((await readUser(id)).code);
  await run.stop();

  await start(sessionMode);
  const lists = countLists();
  await world.sql('update $s.devicesession set reauthenticate = true where _id_ = $1', [session]);
  await waitUntil(() => findRequests(id).includes(`sessions/${session}/re-authenticate`));
  await setUser(id, 'locked = true');
  await waitUntil(() => findRequests(id).includes('lock'));
  await setUser(id, 'locked = false');
  await waitUntil(() => findRequests(id).includes('unlock'));
  await waitUntil(async () => {
    const { rows } = await world.sql('select * from $s.devicesession where _id_ = $1', [session]);
    return rows[0].reauthenticate === false && rows[0].reauthenticatedat !== null;
  });
  expect(findRequests(id)).toEqual(['authentication-token', `sessions/${session}/re-authenticate`, 'lock', 'unlock']);
  expect(countLists()).toBe(lists);
});

test('re-enrolls a user without waiting for the interval, resets the flag and stores the time', async () => {
  const id = await addUser();
  await start(userMode);
  await waitUntil(() => readUser(id));
  const rounds = countRounds();
  await setUser(id, 'reenroll = true');
  await waitUntil(async () => (await readUser(id)).reenroll === false);
  expect((await readUser(id)).reenrolledat).not.toBeNull();
  expect(proxy.calls).toContain(`POST objects/user/${id}/re_enroll.json`);
  expect(countRounds()).toBe(rounds);
});

test('executes a lock that was requested while nothing ran before it reads the first list of users', async () => {
  const id = await addUser();
  const run = await start(sessionMode);
  await waitUntil(() => readUser(id));
  await run.stop();
  await setUser(id, 'locked = true, wantscode = true');
  proxy.calls.length = 0;
  world.start((config) => proxy.through({ ...config, journeyToHeliumEnrollment: sessionMode }));
  await waitUntil(() => findRequests(id).length === 2 && countLists() > 0);
  expect(findRequests(id)).toEqual(['lock', 'authentication-token']);
  expect(proxy.calls.indexOf('GET users')).toBeGreaterThan(proxy.calls.indexOf(`POST users/${id}/lock`));
});

test('executes a lock that was withdrawn while Journey failed and the integration was restarted', async () => {
  const id = await addUser();
  const run = await start(sessionMode);
  await waitUntil(() => readUser(id));
  const session = await world.deployment.device.enroll((await createCode(id)).code);
  world.journey.faults.set({ mode: 'error500', path: 'users' });
  await setUser(id, 'locked = true');
  await waitForLog(world, /WARNING The request to lock .*500/);
  await run.stop();

  await setUser(id, 'locked = false');
  const from = proxy.calls.length;
  world.start((config) => proxy.through({ ...config, journeyToHeliumEnrollment: sessionMode }));
  await waitUntil(() => proxy.calls.slice(from).some((call) => call.startsWith('GET users')));
  world.journey.faults.clear();
  await waitUntil(() => findRequests(id).includes('unlock'));
  await waitForLog(world, new RegExp(`User ${id} was unlocked`));
  expect(world.log.filter((line) => line.includes(`User ${id} was`))).toEqual([
    `INFO User ${id} was locked in Journey.`,
    `INFO User ${id} was unlocked in Journey.`,
  ]);
  const { rows } = await world.journeySql('select state from session where id = $1', [session]);
  expect(rows).toEqual([{ state: 'LOCKED' }]);
});

test('executes a request to lock a user that it could not read at first, because the change log was locked', async () => {
  const id = await addUser();
  await start(sessionMode);
  await waitUntil(() => readUser(id));
  const [writer, locker] = [await world.helium.connect(), await world.helium.connect()];
  // While a transaction may have changed users, requests are read every half second.
  await writer.query('begin; lock table "user" in row exclusive mode');
  await createCode(id);
  await locker.query('begin; lock table __he_sync_obj_change__ in access exclusive mode');
  await waitForLog(
    world,
    /WARNING Enrollment requests: The database rejected the request: canceling statement due to lock timeout/,
  );
  await locker.query('update "user" set locked = true where _id_ = $1', [id]);
  await locker.query('commit');
  await waitUntil(() => findRequests(id).includes('lock'));
  await Promise.all([writer.end(), locker.end()]);
});

test('executes the request of a user that is not in Journey yet as soon as it is', async () => {
  await start(userMode);
  const id = randomUUID();
  await world.sql(`insert into $s."user" (_id_, _tstamp_, name, wantscode) values ($1, now(), 'Thabo', true)`, [id]);
  await waitUntil(async () => (await readUser(id)).code !== null);
});

test('keeps requests while Helium-to-Journey is off', async () => {
  const id = await addUser();
  const run = await start(userMode);
  await waitUntil(() => readUser(id));
  await run.stop();
  const off = await start(userMode, { enableHeliumToJourney: false });
  await setUser(id, 'reenroll = true');
  await off.stop();
  expect((await readUser(id)).reenroll).toBe(true);
  await start(userMode);
  await waitUntil(async () => (await readUser(id)).reenroll === false);
  expect(proxy.calls.filter((call) => call.endsWith('re_enroll.json'))).toHaveLength(1);
});

async function createCode(id: string) {
  await setUser(id, 'wantscode = true');
  await waitUntil(async () => (await readUser(id)).wantscode === false);
  return readUser(id);
}
