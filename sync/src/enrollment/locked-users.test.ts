import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteEnrollmentState } from './delete-enrollment-state.ts';
import { createEnrollmentFixture, type EnrollmentFixture, sessionMode } from './enrollment.fixture.ts';
import { PendingRequests } from './pending-requests.ts';

const textMode = { ...sessionMode, heliumObjectName: 'TextUser', lastConnectedAtFieldName: 'lastSeen' };

describe('locked users', () => {
  let world: EnrollmentFixture;
  beforeAll(async () => {
    world = await createEnrollmentFixture();
  });
  beforeEach(() => world.reset({ multiDevice: true }));
  afterAll(() => world.drop());

  const isLocked = async (id: string) => (await world.client.user(id)).locked;
  const flag = async (id: string) => (await world.row('appuser', id))?.locked;
  const setLocked = (id: string, locked: boolean | null) => world.set('appuser', id, { locked });

  it('locks users in Journey on request from Helium, signs them out everywhere, and unlocks them again', async () => {
    const id = await world.addUser();
    const { token } = await world.client.authenticationToken(id);
    const session = await world.deployment.device.enroll(token);
    await world.run(sessionMode);
    await setLocked(id, true);
    expect(await world.run(sessionMode)).toMatchObject({ requests: 1 });
    expect(await isLocked(id)).toBe(true);
    expect(await world.row('devicesession', session)).toMatchObject({ state: 'LOCKED' });
    expect(await world.row('appuser', id)).toMatchObject({ locked: true, enrolled: false });

    expect(await world.run(sessionMode)).toMatchObject({ requests: 0, rows: 0 });
    await setLocked(id, false);
    expect(await world.run(sessionMode)).toMatchObject({ requests: 1 });
    expect(await isLocked(id)).toBe(false);
  });

  it('shows in Helium when Journey locks and unlocks users', async () => {
    const id = await world.addUser();
    await world.run(sessionMode);
    await world.client.lockUser(id);
    expect(await world.run(sessionMode)).toMatchObject({ requests: 0 });
    expect(await flag(id)).toBe(true);
    await world.client.unlockUser(id);
    expect(await world.run(sessionMode)).toMatchObject({ requests: 0 });
    expect(await flag(id)).toBe(false);
  });

  it('unlocks no user in the first round', async () => {
    const [inHelium, inJourney] = [await world.addUser(), await world.addUser()];
    await setLocked(inHelium, true);
    await setLocked(inJourney, false);
    await world.client.lockUser(inJourney);
    await world.run(sessionMode);
    expect([await isLocked(inHelium), await flag(inHelium)]).toEqual([true, true]);
    expect([await isLocked(inJourney), await flag(inJourney)]).toEqual([true, true]);
  });

  it('keeps requests and their flags while Helium-to-Journey is off', async () => {
    const id = await world.addUser();
    await world.run(sessionMode);
    await setLocked(id, true);
    await world.run(sessionMode, { heliumToJourneyEnabled: false });
    expect([await isLocked(id), await flag(id)]).toEqual([false, true]);
    await world.run(sessionMode);
    expect(await isLocked(id)).toBe(true);
  });

  it('unlocks a user whose flag is reset during the call', async () => {
    const id = await world.addUser();
    await world.run(sessionMode);
    await setLocked(id, true);
    const lockUser = async (...args: Parameters<typeof world.client.lockUser>) => {
      await world.client.lockUser(...args);
      await setLocked(id, false);
    };
    expect(await world.run(sessionMode, { client: { ...world.client, lockUser } })).toMatchObject({ requests: 2 });
    expect([await isLocked(id), await flag(id)]).toEqual([false, false]);
  });

  it('locks and then unlocks a user whose flag was reset before Journey could be called', async () => {
    const id = await world.addUser();
    const { token } = await world.client.authenticationToken(id);
    const session = await world.deployment.device.enroll(token);
    await world.run(sessionMode);
    await setLocked(id, true);
    const unavailable = () => Promise.reject(new Error('unavailable'));
    await expect(world.run(sessionMode, { client: { ...world.client, lockUser: unavailable } })).rejects.toThrow(
      'unavailable',
    );
    await setLocked(id, false);
    expect(await world.run(sessionMode)).toMatchObject({ requests: 2 });
    expect([await isLocked(id), await flag(id)]).toEqual([false, false]);
    expect(await world.row('devicesession', session)).toMatchObject({ state: 'LOCKED' });
    expect(await world.run(sessionMode)).toMatchObject({ requests: 0, rows: 0 });
  });

  it('executes a lock that is requested while the list of users is read, and does not overwrite it', async () => {
    const id = await world.addUser();
    await world.run(sessionMode);
    const pending = new PendingRequests(900_000);
    const users = async (...args: Parameters<typeof world.client.users>) => {
      const page = await world.client.users(...args);
      await setLocked(id, true);
      pending.addNew();
      return page;
    };
    const client = { ...world.client, users };
    expect(await world.run(sessionMode, { client, pending })).toMatchObject({ requests: 1 });
    expect([await isLocked(id), await flag(id), pending.hasNew]).toEqual([true, true, false]);
  });

  it('keeps a withdrawn lock that Journey rejects, and the flag as it is', async () => {
    const id = await world.addUser();
    await world.run(sessionMode);
    await setLocked(id, true);
    const rejected = new JourneyProblem('Journey rejects it.', { kind: 'invalid-request', type: 'INVALID_VALUE' });
    const client = { ...world.client, lockUser: () => Promise.reject(rejected) };
    await world.run(sessionMode, { client });
    await setLocked(id, false);
    await world.run(sessionMode, { client });
    expect([await isLocked(id), await flag(id)]).toEqual([false, false]);
    expect(await world.run(sessionMode)).toMatchObject({ requests: 2 });
  });

  it('locks a user once when the request could not be saved as done', async () => {
    const id = await world.addUser();
    await world.run(sessionMode);
    await setLocked(id, true);
    const lockUser = async (...args: Parameters<typeof world.client.lockUser>) => {
      await world.client.lockUser(...args);
      throw new Error('killed');
    };
    await expect(world.run(sessionMode, { client: { ...world.client, lockUser } })).rejects.toThrow('killed');
    expect(await world.run(sessionMode)).toMatchObject({ requests: 0 });
    await setLocked(id, false);
    expect(await world.run(sessionMode)).toMatchObject({ requests: 1 });
    expect(await isLocked(id)).toBe(false);
  });

  it('keeps agreed locks until their integration is deleted', async () => {
    const id = await world.addUser();
    await deleteEnrollmentState(world.db, 'Production/');
    await setLocked(id, true);
    await world.run(sessionMode);
    const agreed = async () => (await world.db.query('select state_key from __portal_sync__.user_lock')).rowCount;
    await deleteEnrollmentState(world.db, 'Staging/');
    expect(await agreed()).toBeGreaterThan(0);
    await deleteEnrollmentState(world.db, 'Production/app-1/');
    expect(await agreed()).toBe(0);
  });

  it('signs locked users out when Journey does not', async () => {
    const id = await world.addUser();
    const { token } = await world.client.authenticationToken(id);
    const session = await world.deployment.device.enroll(token);
    await setLocked(id, true);
    const lockUser = () => Promise.resolve();
    await world.run(sessionMode, { client: { ...world.client, lockUser } });
    expect(await world.row('devicesession', session)).toMatchObject({ state: 'LOCKED' });
  });

  it('accepts a text as the lock flag', async () => {
    const id = await world.addUser();
    await world.run(textMode);
    expect(await world.row('textuser', id)).toMatchObject({ locked: 'No' });
    await world.set('textuser', id, { locked: 'yes' });
    await world.run(textMode);
    expect(await isLocked(id)).toBe(true);
    expect(await world.row('textuser', id)).toMatchObject({ locked: 'yes' });
  });
});
