import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { JourneyEnrollment } from '@portal/platforms/journey/user-wire';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../helium/helium-gateway.fixture.ts';
import { createEnrollmentFixture, type EnrollmentFixture, textUserMode, userMode } from './enrollment.fixture.ts';
import { PendingRequests } from './pending-requests.ts';
import { runEnrollmentRequests } from './run-enrollment.ts';

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

describe('enrollment with a single device per user', () => {
  let world: EnrollmentFixture;
  beforeAll(async () => {
    world = await createEnrollmentFixture();
  });
  beforeEach(() => world.reset({ multiDevice: false }));
  afterAll(() => world.drop());

  const enroll = async (id: string) => {
    const { url } = (await world.row('appuser', id)) ?? {};
    await world.deployment.device.enroll(String(url));
  };
  const isEnrolled = async (id: string) => (await world.client.user(id)).enrolled;

  it('shows the enrollment code first, then the device', async () => {
    const id = await world.addUser();
    await world.run(userMode);
    const before = await world.row('appuser', id);
    expect(before).toMatchObject({
      enrolled: false,
      allowed: true,
      os: null,
      model: null,
      launcher: null,
      lastseen: null,
    });
    expect(before?.url).toMatch(/^https:/);
    expect(before?.barcode).toBe(before?.url);

    await enroll(id);
    await world.run(userMode);
    expect(await world.row('appuser', id)).toMatchObject({
      enrolled: true,
      os: 'Android 11',
      model: 'SM-T295',
      launcher: '24.5.2',
      lastseen: (await world.client.user(id)).last_connected_at?.replace('Z', ''),
    });
  });

  it('serves a role with tracking columns and no triggers, whose changes are not logged', async () => {
    const id = await world.addUser();
    const logged = 'select count(*)::int as logged from shop__app_001.__he_sync_obj_change__';
    const { rows: before } = await world.db.query(logged);
    await world.db.query('alter table shop__app_001.appuser disable trigger user');
    await world.run(userMode);
    await enroll(id);
    await world.run(userMode);
    expect(await world.row('appuser', id)).toMatchObject({ enrolled: true, os: 'Android 11' });
    expect((await world.db.query(logged)).rows).toEqual(before);
    await world.db.query('alter table shop__app_001.appuser enable trigger user');
  });

  it('writes flags as Yes and No and instants as ISO 8601 when the attributes are texts', async () => {
    const id = await world.addUser();
    await world.run(userMode);
    await world.run(textUserMode);
    expect(await world.row('textuser', id)).toMatchObject({ enrolled: 'No', lastseen: null });
    await enroll(id);
    await world.run(textUserMode);
    expect(await world.row('textuser', id)).toMatchObject({ enrolled: 'Yes', lastseen: expect.stringMatching(iso) });
  });

  it('shows which users are locked', async () => {
    const [locked, other] = [await world.addUser(), await world.addUser()];
    await world.client.lockUser(locked);
    await world.run(userMode);
    expect(await world.row('appuser', locked)).toMatchObject({ allowed: false });
    expect(await world.row('appuser', other)).toMatchObject({ allowed: true });
  });

  it('writes only what differs, and keeps the time of the last edit', async () => {
    const [one] = [await world.addUser(), await world.addUser()];
    expect(await world.run(userMode)).toMatchObject({ rows: 2, requests: 0 });
    const head = await world.head();
    expect(await world.run(userMode)).toMatchObject({ rows: 0 });
    expect(await world.head()).toBe(head);
    await world.set('appuser', one, { os: 'something else', name: 'kept' });
    expect(await world.run(userMode)).toMatchObject({ rows: 1 });
    expect(await world.row('appuser', one)).toMatchObject({ os: null, name: 'kept' });
    const { rows } = await world.db.query(`select distinct _tstamp_::text as at from appuser`);
    expect(rows).toEqual([{ at: '2026-01-02 03:04:05' }]);
  });

  it.each([
    ['appuser', userMode, true, false, '2026-03-04T05:06:07'],
    ['textuser', textUserMode, 'YES', 'NO', '2026-03-04T05:06:07Z'],
    ['textuser', textUserMode, 'true', 'false', '2026-03-04T05:06:07Z'],
    ['textuser', textUserMode, 'T', 'F', '2026-03-04T05:06:07Z'],
  ] as const)('re-enrolls a user once on request in %s', async (table, mode, flag, unset, processed) => {
    const id = await world.addUser();
    await world.run(userMode);
    await enroll(id);
    await world.set(table, id, { reenroll: flag });
    expect(await world.run(mode)).toMatchObject({ requests: 1 });
    expect(await isEnrolled(id)).toBe(false);
    expect(await world.row(table, id)).toMatchObject({ reenroll: unset, reenrolledat: processed });

    await world.run(userMode);
    await enroll(id);
    expect(await world.run(mode)).toMatchObject({ requests: 0 });
    expect(await isEnrolled(id)).toBe(true);
  });

  it('ignores values that are not a request', async () => {
    const id = await world.addUser();
    for (const reenroll of [null, 'No', 'n', 'maybe', '', '1']) {
      await world.set('textuser', id, { reenroll });
      expect(await world.run(textUserMode)).toMatchObject({ requests: 0 });
      expect(await world.row('textuser', id)).toMatchObject({ reenroll });
    }
  });

  it('keeps requests waiting while Helium-to-Journey is off', async () => {
    const id = await world.addUser();
    await world.set('appuser', id, { reenroll: true, wantscode: true });
    expect(await world.run(userMode, { heliumToJourneyEnabled: false })).toMatchObject({ requests: 0, rows: 1 });
    expect(await world.row('appuser', id)).toMatchObject({
      reenroll: true,
      reenrolledat: null,
      wantscode: true,
      code: null,
    });
    expect(await world.run(userMode)).toMatchObject({ requests: 2 });
  });

  it('creates a code that signs a device in', async () => {
    const id = await world.addUser();
    await world.set('textuser', id, { wantscode: 'yes' });
    await world.run(textUserMode);
    const row = await world.row('textuser', id);
    expect(row).toMatchObject({ wantscode: 'no' });
    await world.deployment.device.enroll(String(row?.code));
    expect(await isEnrolled(id)).toBe(true);
  });

  it('keeps a request of a user that Journey does not know, and processes the others', async () => {
    const unknown = newId();
    await world.db.query(`insert into appuser (_id_, _tstamp_, reenroll) values ($1, now(), true)`, [unknown]);
    const known = await world.addUser();
    await world.set('appuser', known, { reenroll: true });
    expect(await world.run(userMode)).toMatchObject({ requests: 1 });
    expect(await world.row('appuser', known)).toMatchObject({ reenroll: false });
    expect(await world.row('appuser', unknown)).toMatchObject({ reenroll: true, reenrolledat: null });
    expect(world.lines).toContainEqual(expect.stringContaining(`Re-enrollment of appuser ${unknown} stays pending`));
  });

  it('repeats only a call whose result could not be written', async () => {
    const id = await world.addUser();
    await world.set('appuser', id, { reenroll: true });
    let transactions = 0;
    const takenOver = async () => {
      transactions += 1;
      // One reads the requests, and one the row.
      if (transactions > 2) throw new Error('taken over');
    };
    await expect(world.run(userMode, { checkFence: takenOver })).rejects.toThrow('taken over');
    expect(await world.row('appuser', id)).toMatchObject({ reenroll: true, enrolled: null });
    expect(await world.run(userMode)).toMatchObject({ requests: 1 });
    expect(await world.row('appuser', id)).toMatchObject({ reenroll: false });
  });

  it('throws failures that do not concern a single user, and keeps the request', async () => {
    const id = await world.addUser();
    await world.set('appuser', id, { reenroll: true });
    const right = world.deployment.password;
    world.deployment.setPassword('another');
    await expect(world.run(userMode)).rejects.toMatchObject({ failure: { kind: 'credentials-rejected' } });
    world.deployment.setPassword(right);
    expect(await world.row('appuser', id)).toMatchObject({ reenroll: true });
  });

  it('logs a warning when Journey reports no enrollment', async () => {
    const id = await world.addUser();
    world.deployment.setMultiDevice(true);
    expect(await world.run(userMode)).toMatchObject({ rows: 0 });
    expect(world.lines).toContainEqual(expect.stringContaining('reported no enrollment'));
    expect(await world.row('appuser', id)).toMatchObject({ enrolled: null });
  });

  it.each(['reenroll', 'wantscode'])('shows the new address of a user right after a request (%s)', async (flag) => {
    const id = await world.addUser();
    await world.run(userMode);
    const before = await world.row('appuser', id);
    await enroll(id);
    await world.run(userMode);
    await world.set('appuser', id, { [flag]: true });
    expect(await runEnrollmentRequests(world.round(userMode))).toBe(1);
    const { enrollment } = await world.client.get('user', id);
    const { url, enrolled } = JourneyEnrollment.parse(enrollment);
    expect(url).not.toBe(before?.url);
    expect(await world.row('appuser', id)).toMatchObject({
      [flag]: false,
      url,
      barcode: url,
      enrolled,
      os: 'Android 11',
    });
  });

  it('keeps the new address of a user who requests a code while the list is read', async () => {
    const id = await world.addUser();
    await world.run(userMode);
    const pending = new PendingRequests(900_000);
    const list = async (...args: Parameters<typeof world.client.list>) => {
      const page = await world.client.list(...args);
      await world.set('appuser', id, { wantscode: true });
      pending.addNew();
      return page;
    };
    expect(await world.run(userMode, { client: { ...world.client, list }, pending })).toMatchObject({ requests: 1 });
    const { enrollment } = await world.client.get('user', id);
    expect(await world.row('appuser', id)).toMatchObject({
      url: JourneyEnrollment.parse(enrollment).url,
      allowed: true,
    });
  });

  it('executes a request whose effect Journey cannot show', async () => {
    const id = await world.addUser();
    await world.set('appuser', id, { wantscode: true });
    const get = () => Promise.reject(new JourneyProblem('Not found.', { kind: 'not-found', type: 'NOT_FOUND' }));
    const client = { ...world.client, get };
    expect(await runEnrollmentRequests(world.round(userMode, { client }))).toBe(1);
    expect(await world.row('appuser', id)).toMatchObject({ wantscode: false, code: expect.any(String), url: null });
  });

  it('writes a row that another session has locked as soon as it is free', async () => {
    const ids = [await world.addUser(), await world.addUser()];
    await world.db.query('begin');
    await world.set('appuser', ids[0] ?? '', { name: 'held' });
    let transactions = 0;
    const withSlot = async <T>(work: () => Promise<T>) => {
      const result = await work();
      transactions += 1;
      // Two read the requests, and one writes all rows that are free.
      if (transactions === 3) await world.db.query('commit');
      return result;
    };
    expect(await world.run(userMode, { withSlot })).toMatchObject({ rows: 2, waiting: 0 });
    for (const id of ids) expect(await world.row('appuser', id)).toMatchObject({ enrolled: false });
  });

  it('leaves a user whose row stays locked for the next round, and writes all others at once', async () => {
    const [first, locked, last] = [await world.addUser(), await world.addUser(), await world.addUser()];
    await world.set('appuser', last, { reenroll: true });
    await world.set('appuser', locked, { reenroll: true });
    await world.db.query('begin');
    await world.set('appuser', locked, { name: 'held' });
    expect(await world.run(userMode)).toMatchObject({ rows: 2, requests: 1, waiting: 1 });
    await world.db.query('commit');
    expect(await world.row('appuser', first)).toMatchObject({ enrolled: false });
    expect(await world.row('appuser', last)).toMatchObject({ enrolled: false, reenroll: false });
    expect(await world.row('appuser', locked)).toMatchObject({ enrolled: null, reenroll: true });
    expect(await world.run(userMode)).toMatchObject({ rows: 1, requests: 1 });
    expect(await world.row('appuser', locked)).toMatchObject({ name: 'held', enrolled: false, reenroll: false });
  });

  it('leaves rows that are locked or that PostgreSQL rejects for the next round, and logs why', async () => {
    const id = await world.addUser();
    await world.db.query('begin; lock table appuser in share mode');
    expect(await world.run(userMode)).toMatchObject({ rows: 0 });
    await world.db.query(`commit; alter table appuser add constraint no_link check (url is null)`);
    expect(await world.run(userMode)).toMatchObject({ rows: 0, waiting: 1 });
    await world.db.query('alter table appuser drop constraint no_link');
    expect(await world.run(userMode)).toMatchObject({ rows: 1, waiting: 0 });
    expect(world.lines).toContainEqual(
      expect.stringMatching(/row .* of appuser was left as it is. Another session has locked a row or key/),
    );
    expect(world.lines).toContainEqual(expect.stringMatching(`row ${id} of appuser .*no_link`));
  });

  it('stops on request before it writes', async () => {
    const id = await world.addUser();
    const signal = AbortSignal.abort(new Error('disabled'));
    await expect(world.run(userMode, { signal })).rejects.toThrow('disabled');
    expect(await world.row('appuser', id)).toMatchObject({ enrolled: null });
  });

  it('rejects attributes that no longer exist', async () => {
    await expect(world.run({ ...userMode, urlFieldName: 'link' })).rejects.toThrow(
      'journeyToHeliumEnrollment.urlFieldName: The object appuser has no attribute link.',
    );
  });
});
