import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../helium/helium-gateway.fixture.ts';
import { createEnrollmentFixture, type EnrollmentFixture, now, sessionMode } from './enrollment.fixture.ts';
import { runEnrollmentRequests } from './run-enrollment.ts';

describe('enrollment with multiple devices per user', () => {
  let world: EnrollmentFixture;
  beforeAll(async () => {
    world = await createEnrollmentFixture();
  });
  beforeEach(() => world.reset({ multiDevice: true }));
  afterAll(() => world.drop());

  let devices = 0;
  const enroll = async (user: string) => {
    const { token } = await world.client.authenticationToken(user);
    devices += 1;
    return world.deployment.device.enroll(token, { device: { id: `device-${devices}` }, label: `Phone ${devices}` });
  };
  const session = async (user: string, id: string) =>
    (await world.client.user(user)).sessions?.find((one) => one.id === id);

  it('fills users, sessions and containers', async () => {
    const user = await world.addUser();
    const [one, two] = [await enroll(user), await enroll(user)];
    await world.run(sessionMode);
    const journeySession = await session(user, one);
    expect(await world.row('appuser', user)).toMatchObject({
      enrolled: true,
      locked: false,
      lastseenon: journeySession?.last_connected_at?.slice(0, 10),
    });
    expect(await world.row('devicesession', one)).toEqual({
      state: 'ENROLLED',
      authenticated: journeySession?.last_authenticated_at?.replace('Z', ''),
      created: journeySession?.created_at,
      seen: journeySession?.last_connected_at?.slice(0, 10),
      signedout: null,
      label: journeySession?.label,
      reauthenticate: 'No',
      reauthenticatedat: null,
      remark: null,
      appuser_fk: user,
    });
    expect(await world.row('devicesession', two)).toMatchObject({ appuser_fk: user });
    const containers = (await world.rows('devicecontainer')).filter(({ devicesession_fk }) => devicesession_fk === one);
    const container = { version: '24.5.2', bundle: 'com.journeyapps.container', platform: 'ANDROID' };
    expect(containers).toEqual([{ ...container, devicesession_fk: one }]);
  });

  it("leaves a session's user empty when Helium does not have the user", async () => {
    const user = await world.addUser();
    const id = await enroll(user);
    await world.db.query('delete from appuser where _id_ = $1', [user]);
    await world.run(sessionMode);
    expect(await world.row('devicesession', id)).toMatchObject({ appuser_fk: null, state: 'ENROLLED' });
  });

  it('keeps exactly the rows that Journey reports', async () => {
    const user = await world.addUser();
    const id = await enroll(user);
    await world.run(sessionMode);
    const right = [await world.rows('devicesession'), await world.rows('devicecontainer')];
    await world.set('devicesession', id, { state: 'wrong', label: null, appuser_fk: null });
    await world.db.query(`insert into devicesession (_id_, _tstamp_, state) values ($1, now(), 'gone')`, [newId()]);
    await world.db.query(`insert into devicecontainer (_id_, _tstamp_) values ($1, now())`, [newId()]);
    await world.db.query(`update devicecontainer set platform = 'wrong'`);
    await world.run(sessionMode);
    expect([await world.rows('devicesession'), await world.rows('devicecontainer')]).toEqual(right);
  });

  it('removes the rows that the table had before the first round', async () => {
    const id = await world.signIn(await world.addUser());
    const earlier = newId();
    await world.db.query(`insert into devicesession (_id_, _tstamp_, state) values ($1, now(), 'gone')`, [earlier]);
    await world.run(sessionMode);
    expect(await world.row('devicesession', earlier)).toBeUndefined();
    expect(await world.row('devicesession', id)).toBeDefined();
  });

  it('writes and logs nothing when nothing has changed', async () => {
    const user = await world.addUser();
    await enroll(user);
    await world.run(sessionMode);
    const head = await world.head();
    expect(await world.run(sessionMode)).toMatchObject({ rows: 0, requests: 0 });
    expect(await world.head()).toBe(head);
  });

  it("keeps references to a session, and the app's own attributes", async () => {
    const user = await world.addUser();
    const id = await enroll(user);
    await world.run(sessionMode);
    await world.set('devicesession', id, { remark: 'lent to the clinic' });
    await world.db.query('insert into note (_id_, _tstamp_, devicesession_fk) values ($1, now(), $2)', [newId(), id]);
    await world.client.reAuthenticate(user, id);
    await world.run(sessionMode);
    expect(await world.row('devicesession', id)).toMatchObject({ state: 'LOCKED', remark: 'lent to the clinic' });
    expect(await world.rows('note')).toMatchObject([{ devicesession_fk: id }]);
  });

  it('does not block readers, and shows them a single state', async () => {
    const user = await world.addUser();
    await enroll(user);
    await world.run(sessionMode);
    const reader = await world.helium.connect();
    await reader.query('begin isolation level repeatable read');
    const count = async () => (await reader.query('select count(*)::int as rows from devicesession')).rows[0]?.rows;
    const before = await count();
    await world.db.query('delete from devicecontainer');
    await enroll(user);
    await world.run(sessionMode);
    expect(before).toBeGreaterThan(0);
    expect(await count()).toBe(before);
    await reader.query('commit');
    expect(await count()).toBe(before + 1);
  });

  it('replaces nothing when Journey fails midway, or when the integration is taken over', async () => {
    const user = await world.addUser();
    await enroll(user);
    await world.run(sessionMode);
    const before = await world.rows('devicesession');
    await enroll(user);
    const takenOver = async () => {
      throw new Error('taken over');
    };
    await expect(world.run(sessionMode, { checkFence: takenOver })).rejects.toThrow('taken over');
    const broken = { ...world.client, users: () => Promise.reject(new Error('broken off')) };
    await expect(world.run(sessionMode, { client: broken })).rejects.toThrow('broken off');
    expect(await world.rows('devicesession')).toEqual(before);
  });

  it('leaves the sessions of a user whose row is locked for the next round, and writes all others', async () => {
    const [locked, free] = [await world.addUser(), await world.addUser()];
    const kept = await enroll(locked);
    await world.run(sessionMode);
    const [later, now] = [await enroll(locked), await enroll(free)];
    await world.db.query('begin');
    await world.db.query('select from appuser where _id_ = $1 for update', [locked]);
    await world.run(sessionMode);
    await world.db.query('commit');
    expect(await world.row('devicesession', kept)).toBeDefined();
    expect(await world.row('devicesession', now)).toBeDefined();
    expect(await world.row('devicesession', later)).toBeUndefined();
    await world.run(sessionMode);
    expect(await world.row('devicesession', later)).toBeDefined();
  });

  it('re-authenticates a requested session once', async () => {
    const user = await world.addUser();
    const [requested, other] = [await enroll(user), await enroll(user)];
    await world.run(sessionMode);
    await world.set('devicesession', requested, { reauthenticate: 'Yes' });
    expect(await world.run(sessionMode, { heliumToJourneyEnabled: false })).toMatchObject({ requests: 0 });
    expect(await world.row('devicesession', requested)).toMatchObject({ reauthenticate: 'Yes', state: 'ENROLLED' });

    expect(await world.run(sessionMode)).toMatchObject({ requests: 1 });
    expect(await world.row('devicesession', requested)).toMatchObject({
      state: 'LOCKED',
      signedout: expect.any(String),
      reauthenticate: 'No',
      reauthenticatedat: now.toISOString().slice(0, 19),
    });
    expect(await world.row('devicesession', other)).toMatchObject({ state: 'ENROLLED', reauthenticate: 'No' });
    expect(await world.run(sessionMode)).toMatchObject({ requests: 0, rows: 0 });
  });

  it('re-authenticates sessions without reading all users, unless a row does not name its user', async () => {
    const [user, unnamed] = [await world.addUser(), await world.addUser()];
    const [id, other, ended] = [await enroll(user), await enroll(unnamed), newId()];
    await world.run(sessionMode);
    let lists = 0;
    const users = (...page: Parameters<typeof world.client.users>) => {
      lists += 1;
      return world.client.users(...page);
    };
    const run = () => runEnrollmentRequests(world.round(sessionMode, { client: { ...world.client, users } }));
    await world.db.query(
      `insert into devicesession (_id_, _tstamp_, appuser_fk, reauthenticate) values ($1, now(), $2, 'yes')`,
      [ended, user],
    );
    await world.set('devicesession', id, { reauthenticate: 'Yes' });
    expect([await run(), lists]).toEqual([1, 0]);
    expect((await session(user, id))?.state).toBe('LOCKED');
    await world.set('devicesession', other, { reauthenticate: 'Yes', appuser_fk: null });
    expect([await run(), lists]).toEqual([1, 1]);
    expect((await session(unnamed, other))?.state).toBe('LOCKED');
  });

  it('loses no flag that is set while sessions are replaced', async () => {
    const user = await world.addUser();
    const id = await enroll(user);
    await world.run(sessionMode);
    await world.client.reAuthenticate(user, id);
    const app = await world.helium.connect();
    const users = async (...page: Parameters<typeof world.client.users>) => {
      const response = await world.client.users(...page);
      await app.query(`update devicesession set reauthenticate = 'yes'`);
      return response;
    };
    await world.run(sessionMode, { client: { ...world.client, users }, heliumToJourneyEnabled: false });
    expect(await world.row('devicesession', id)).toMatchObject({ state: 'LOCKED', reauthenticate: 'yes' });
  });

  it('creates a code that signs a device in', async () => {
    const user = await world.addUser();
    await world.set('appuser', user, { wantscode: true });
    expect(await world.run(sessionMode)).toMatchObject({ requests: 1 });
    const row = await world.row('appuser', user);
    expect(row).toMatchObject({ wantscode: false });
    await world.deployment.device.enroll(String(row?.code));
  });

  it('works without containers when none are configured', async () => {
    const user = await world.addUser();
    await enroll(user);
    const mode = { ...sessionMode, sessionContainerObjectName: '', sessionContainerObjectFieldNames: {} };
    await world.run(mode);
    expect(await world.rows('devicecontainer')).toEqual([]);
    expect((await world.rows('devicesession')).length).toBeGreaterThan(0);
  });
});
