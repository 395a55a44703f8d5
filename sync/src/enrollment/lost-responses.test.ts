import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { JourneyEnrollment } from '@portal/platforms/journey/user-wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEnrollmentFixture, type EnrollmentFixture, sessionMode, userMode } from './enrollment.fixture.ts';
import type { EnrollmentClient } from './enrollment-round.ts';

const lost = () => new JourneyProblem('Journey closed the connection.', { kind: 'no-response', timedOut: false });

describe('lost responses to requests', () => {
  let world: EnrollmentFixture;
  beforeAll(async () => {
    world = await createEnrollmentFixture();
  });
  afterAll(() => world.drop());

  /** A user with a signed-in session whose re-authentication is requested. */
  const requestReAuthentication = async () => {
    await world.reset({ multiDevice: true });
    const user = await world.addUser();
    const session = await world.signIn(user, `device of ${user}`);
    await world.run(sessionMode);
    await world.set('devicesession', session, { reauthenticate: 'Yes' });
    const calls: string[] = [];
    const reAuthenticate: EnrollmentClient['reAuthenticate'] = async (...args) => {
      calls.push(args[1]);
      await world.client.reAuthenticate(...args);
    };
    const signInAgain = () => world.signIn(user, `device of ${user}`);
    const state = async () => (await world.client.user(user)).sessions?.find(({ id }) => id === session)?.state;
    const finish = async () => {
      expect(await world.run(sessionMode, { client: { ...world.client, reAuthenticate } })).toMatchObject({
        rows: expect.any(Number),
      });
      expect(calls).toEqual([session]);
      expect(await state()).toBe('ENROLLED');
      expect(await world.row('devicesession', session)).toMatchObject({ reauthenticate: 'No', state: 'ENROLLED' });
    };
    return { reAuthenticate, signInAgain, finish };
  };

  it('do not sign a person out again when the look at the user after re-authentication is lost', async () => {
    const { reAuthenticate, signInAgain, finish } = await requestReAuthentication();
    let isDone = false;
    const client: EnrollmentClient = {
      ...world.client,
      async reAuthenticate(...args) {
        await reAuthenticate(...args);
        isDone = true;
      },
      user: (...args) => (isDone ? Promise.reject(lost()) : world.client.user(...args)),
    };
    await world.run(sessionMode, { client });
    await signInAgain();
    await finish();
  });

  it('do not sign a person out again who has signed in since the re-authentication', async () => {
    const { reAuthenticate, signInAgain, finish } = await requestReAuthentication();
    world.faults.set({ mode: 'drop', path: 're-authenticate', times: 1 });
    await world.run(sessionMode, { client: { ...world.client, reAuthenticate } });
    await signInAgain();
    await finish();
  });

  it('repeat a re-authentication that Journey has not received', async () => {
    const { reAuthenticate } = await requestReAuthentication();
    world.faults.set({ mode: 'error500', path: 're-authenticate', times: 1 });
    expect(await world.run(sessionMode, { client: { ...world.client, reAuthenticate } })).toMatchObject({
      requests: 0,
    });
    expect(await world.run(sessionMode, { client: { ...world.client, reAuthenticate } })).toMatchObject({
      requests: 1,
    });
  });

  it('do not throw a person out again who has scanned the new code', async () => {
    await world.reset({ multiDevice: false });
    const id = await world.addUser();
    const scan = async () => {
      const { enrollment } = await world.client.get('user', id);
      await world.deployment.device.enroll(String(JourneyEnrollment.parse(enrollment).url));
    };
    await scan();
    await world.run(userMode);
    await world.set('appuser', id, { reenroll: true });
    let calls = 0;
    const reEnroll: EnrollmentClient['reEnroll'] = async (...args) => {
      calls += 1;
      await world.client.reEnroll(...args);
    };
    const client = { ...world.client, reEnroll };
    world.faults.set({ mode: 'drop', path: 're_enroll', times: 1 });
    expect(await world.run(userMode, { client })).toMatchObject({ requests: 0 });
    await scan();
    expect(await world.run(userMode, { client })).toMatchObject({ requests: 1 });
    expect(calls).toBe(1);
    expect(await world.row('appuser', id)).toMatchObject({ reenroll: false, enrolled: true });
  });

  it('do not lock a user who was locked again during an unlock, and then unlocked', async () => {
    await world.reset({ multiDevice: true });
    const user = await world.addUser();
    await world.run(sessionMode);
    await world.set('appuser', user, { locked: true });
    await world.run(sessionMode);
    await world.set('appuser', user, { locked: false });
    const client: EnrollmentClient = {
      ...world.client,
      async unlockUser(...args) {
        await world.client.unlockUser(...args);
        await world.set('appuser', user, { locked: true });
      },
      async lockUser(...args) {
        await world.client.lockUser(...args);
        throw lost();
      },
    };
    await world.run(sessionMode, { client });
    expect(await world.client.user(user)).toMatchObject({ locked: true });
    await world.set('appuser', user, { locked: false });
    await world.run(sessionMode);
    expect(await world.row('appuser', user)).toMatchObject({ locked: false });
    expect(await world.client.user(user)).toMatchObject({ locked: false });
  });

  it('settle a lock only when every session is signed out', async () => {
    await world.reset({ multiDevice: true });
    const user = await world.addUser();
    await world.signIn(user);
    await world.run(sessionMode);
    await world.set('appuser', user, { locked: true });
    let signOuts = 0;
    // Journey leaves the sessions of a locked user signed in.
    const client: EnrollmentClient = {
      ...world.client,
      async user(...args) {
        const found = await world.client.user(...args);
        if (found.id !== user || signOuts > 1) return found;
        return { ...found, sessions: found.sessions?.map((one) => ({ ...one, state: 'ENROLLED' })) ?? null };
      },
      async reAuthenticate(...args) {
        signOuts += 1;
        if (signOuts === 1)
          throw new JourneyProblem(
            'status 500',
            { kind: 'server-error', status: 500, retryAfterMs: undefined },
            { isWrite: true },
          );
        await world.client.reAuthenticate(...args);
      },
    };
    expect(await world.run(sessionMode, { client })).toMatchObject({ requests: 0 });
    expect((await world.client.user(user)).locked).toBe(true);
    expect(await world.run(sessionMode, { client })).toMatchObject({ requests: 1 });
    expect(signOuts).toBe(2);
    expect(await world.run(sessionMode, { client })).toMatchObject({ requests: 0 });
    expect(signOuts).toBe(2);
  });

  it('keep a user locked who is locked again before the unlock is known to have happened', async () => {
    await world.reset({ multiDevice: true });
    const user = await world.addUser();
    await world.set('appuser', user, { locked: true });
    await world.run(sessionMode);
    await world.set('appuser', user, { locked: false });
    world.faults.set({ mode: 'drop', path: '/unlock', times: 1 });
    expect(await world.run(sessionMode)).toMatchObject({ requests: 0 });
    expect((await world.client.user(user)).locked).toBe(false);
    await world.set('appuser', user, { locked: true });
    expect(await world.run(sessionMode)).toMatchObject({ requests: 1 });
    expect((await world.client.user(user)).locked).toBe(true);
    expect(await world.row('appuser', user)).toMatchObject({ locked: true });
  });
});
