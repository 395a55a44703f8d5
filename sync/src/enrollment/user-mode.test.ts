import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../helium/helium-gateway.fixture.ts';
import { createEnrollmentFixture, type EnrollmentFixture, textUserMode, userMode } from './enrollment.fixture.ts';

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

describe('enrollment with a single device per user', () => {
  let world: EnrollmentFixture;
  beforeAll(async () => {
    world = await createEnrollmentFixture();
  });
  beforeEach(() => world.reset({ multiDevice: false }));
  afterAll(() => world.drop());

  const enrol = async (id: string) => {
    const { url } = (await world.row('appuser', id)) ?? {};
    await world.deployment.device.enrol(String(url));
  };
  const isEnrolled = async (id: string) => (await world.client.user(id)).enrolled;

  it('shows the code to scan, then the device', async () => {
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

    await enrol(id);
    await world.run(userMode);
    expect(await world.row('appuser', id)).toMatchObject({
      enrolled: true,
      os: 'Android 11',
      model: 'SM-T295',
      launcher: '24.5.2',
      lastseen: (await world.client.user(id)).last_connected_at?.replace('Z', ''),
    });
  });

  it('writes flags as Yes and No and moments as ISO 8601 where the attributes are texts', async () => {
    const id = await world.addUser();
    await world.run(userMode);
    await world.run(textUserMode);
    expect(await world.row('textuser', id)).toMatchObject({ enrolled: 'No', lastseen: null });
    await enrol(id);
    await world.run(textUserMode);
    expect(await world.row('textuser', id)).toMatchObject({ enrolled: 'Yes', lastseen: expect.stringMatching(iso) });
  });

  it('says who is locked out', async () => {
    const [locked, other] = [await world.addUser(), await world.addUser()];
    await world.client.lockUser(locked);
    await world.run(userMode);
    expect(await world.row('appuser', locked)).toMatchObject({ allowed: false });
    expect(await world.row('appuser', other)).toMatchObject({ allowed: true });
  });

  it('writes only what differs, and leaves the time of the last edit alone', async () => {
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
  ] as const)('re-enrolls once who asks for it in %s', async (table, mode, flag, unset, processed) => {
    const id = await world.addUser();
    await world.run(userMode);
    await enrol(id);
    await world.set(table, id, { reenroll: flag });
    expect(await world.run(mode)).toMatchObject({ requests: 1 });
    expect(await isEnrolled(id)).toBe(false);
    expect(await world.row(table, id)).toMatchObject({ reenroll: unset, reenrolledat: processed });

    await world.run(userMode);
    await enrol(id);
    expect(await world.run(mode)).toMatchObject({ requests: 0 });
    expect(await isEnrolled(id)).toBe(true);
  });

  it('takes nothing else for a request', async () => {
    const id = await world.addUser();
    for (const reenroll of [null, 'No', 'n', 'maybe', '', '1']) {
      await world.set('textuser', id, { reenroll });
      expect(await world.run(textUserMode)).toMatchObject({ requests: 0 });
      expect(await world.row('textuser', id)).toMatchObject({ reenroll });
    }
  });

  it('lets requests wait while Helium-to-Journey is off', async () => {
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

  it('gets a code that signs a device in', async () => {
    const id = await world.addUser();
    await world.set('textuser', id, { wantscode: 'yes' });
    await world.run(textUserMode);
    const row = await world.row('textuser', id);
    expect(row).toMatchObject({ wantscode: 'no' });
    await world.deployment.device.enrol(String(row?.code));
    expect(await isEnrolled(id)).toBe(true);
  });

  it('leaves a request of somebody Journey does not know as it is, and goes on with the others', async () => {
    const unknown = newId();
    await world.db.query(`insert into appuser (_id_, _tstamp_, reenroll) values ($1, now(), true)`, [unknown]);
    const known = await world.addUser();
    await world.set('appuser', known, { reenroll: true });
    expect(await world.run(userMode)).toMatchObject({ requests: 1 });
    expect(await world.row('appuser', known)).toMatchObject({ reenroll: false });
    expect(await world.row('appuser', unknown)).toMatchObject({ reenroll: true, reenrolledat: null });
    expect(world.lines).toContainEqual(expect.stringContaining(`Re-enrollment of appuser ${unknown} stays asked`));
  });

  it('repeats a call whose result could not be written, and no other', async () => {
    const id = await world.addUser();
    await world.set('appuser', id, { reenroll: true });
    let transactions = 0;
    const takenOver = async () => {
      transactions += 1;
      if (transactions > 1) throw new Error('taken over');
    };
    await expect(world.run(userMode, { checkFence: takenOver })).rejects.toThrow('taken over');
    expect(await world.row('appuser', id)).toMatchObject({ reenroll: true, enrolled: null });
    expect(await world.run(userMode)).toMatchObject({ requests: 1 });
    expect(await world.row('appuser', id)).toMatchObject({ reenroll: false });
  });

  it('throws what is not about one user, and keeps the request', async () => {
    const id = await world.addUser();
    await world.set('appuser', id, { reenroll: true });
    const right = world.deployment.password;
    world.deployment.setPassword('another');
    await expect(world.run(userMode)).rejects.toMatchObject({ failure: { kind: 'credentials-refused' } });
    world.deployment.setPassword(right);
    expect(world.lines).toEqual([]);
    expect(await world.row('appuser', id)).toMatchObject({ reenroll: true });
  });

  it('says so when Journey tells of no enrollment', async () => {
    const id = await world.addUser();
    world.deployment.setMultiDevice(true);
    expect(await world.run(userMode)).toMatchObject({ rows: 0 });
    expect(world.lines).toContainEqual(expect.stringContaining('told of no enrollment'));
    expect(await world.row('appuser', id)).toMatchObject({ enrolled: null });
  });

  it('tells rows that others hold from values that PostgreSQL refuses', async () => {
    const id = await world.addUser();
    await world.db.query('begin');
    await world.set('appuser', id, { name: 'held' });
    const held = world.run(userMode, { lockTimeoutMs: 50 });
    await expect(held).rejects.toThrow('Others hold rows of shop__app_001 that enrollment was to write.');
    await world.db.query(`commit; alter table appuser add constraint no_link check (url is null)`);
    await expect(world.run(userMode)).rejects.toThrow(/PostgreSQL refuses enrollment: .*no_link/);
    await world.db.query('alter table appuser drop constraint no_link');
    expect(await world.run(userMode)).toMatchObject({ rows: 1 });
  });

  it('ends when it is told to, before it writes', async () => {
    const id = await world.addUser();
    const signal = AbortSignal.abort(new Error('disabled'));
    await expect(world.run(userMode, { signal })).rejects.toThrow('disabled');
    expect(await world.row('appuser', id)).toMatchObject({ enrolled: null });
  });

  it('refuses attributes that are not there any more', async () => {
    await expect(world.run({ ...userMode, urlFieldName: 'link' })).rejects.toThrow(
      'journeyToHeliumEnrollment.urlFieldName: The object appuser has no attribute link.',
    );
  });
});
