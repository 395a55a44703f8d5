import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEnrollmentFixture, type EnrollmentFixture, sessionMode, userMode } from './enrollment.fixture.ts';

describe('a user of whom Journey does not report whether they are enrolled or locked', () => {
  let world: EnrollmentFixture;
  // One for each test, because Journey keeps its users, and the first of the list is unknown.
  beforeEach(async () => {
    world = await createEnrollmentFixture();
  });
  afterEach(() => world.drop());

  let unknown: string;
  let known: string;
  const addUsers = async (multiDevice: boolean) => {
    await world.reset({ multiDevice });
    const ids = [await world.addUser(), await world.addUser()];
    [unknown = '', known = ''] = ids.sort();
  };
  const warnings = () => world.lines.filter((line) => line.startsWith('WARNING'));

  describe('with multiple devices per user', () => {
    let session: string;
    beforeEach(async () => {
      await addUsers(true);
      session = await world.signIn(unknown);
      await world.run(sessionMode);
    });

    it('keeps what Helium shows, and is named, while all other users are read', async () => {
      const before = await world.row('appuser', unknown);
      await world.client.lockUser(known);
      const other = await world.signIn(unknown);
      world.faults.set({ mode: 'unknown-user', path: '/users$' });
      expect(await world.run(sessionMode)).toMatchObject({ users: 2, sessions: 2, waiting: 3 });
      expect(await world.row('appuser', unknown)).toEqual(before);
      expect(before).toMatchObject({ enrolled: true, locked: false });
      expect(await world.row('appuser', known)).toMatchObject({ enrolled: false, locked: true });
      expect(await world.row('devicesession', session)).toMatchObject({ state: 'ENROLLED', appuser_fk: unknown });
      expect(await world.row('devicesession', other)).toMatchObject({ state: null, appuser_fk: unknown });
      const unchanged = 'What Helium shows of it stays as it is.';
      expect(warnings()).toEqual([
        `WARNING Journey does not report whether a user is enrolled: user ${unknown}. ${unchanged}`,
        `WARNING Journey does not report whether a user is locked: user ${unknown}. ${unchanged}`,
        expect.stringMatching(
          /^WARNING Journey does not report the state of a session: session .* and 1 more\. What Helium/,
        ),
      ]);
      world.faults.clear();
      await world.run(sessionMode);
      expect(await world.row('devicesession', other)).toMatchObject({ state: 'ENROLLED' });
    });

    it('is locked, signed out and unlocked in Journey on request from Helium', async () => {
      const forget = <User extends Awaited<ReturnType<typeof world.client.user>>>(user: User) => ({
        ...user,
        enrolled: null,
        locked: null,
        sessions: user.sessions?.map((one) => ({ ...one, state: null })) ?? null,
      });
      const client = {
        ...world.client,
        user: async (...call: Parameters<typeof world.client.user>) => forget(await world.client.user(...call)),
        users: async (...call: Parameters<typeof world.client.users>) => {
          const list = await world.client.users(...call);
          return { ...list, objects: list.objects.map(forget) };
        },
      };
      await world.set('appuser', unknown, { locked: true });
      expect(await world.run(sessionMode, { client })).toMatchObject({ requests: 1 });
      expect(await world.client.user(unknown)).toMatchObject({ locked: true, sessions: [{ state: 'LOCKED' }] });
      expect(await world.row('appuser', unknown)).toMatchObject({ locked: true });
      await world.set('appuser', unknown, { locked: false });
      await world.run(sessionMode, { client });
      expect(await world.client.user(unknown)).toMatchObject({ locked: false });
    });
  });

  it('keeps the access that Helium shows with a single device per user', async () => {
    await addUsers(false);
    await world.client.lockUser(unknown);
    await world.run(userMode);
    const before = await world.row('appuser', unknown);
    await world.client.lockUser(known);
    world.faults.set({ mode: 'unknown-user', path: '/users$' });
    await world.run(userMode);
    expect(await world.row('appuser', unknown)).toEqual(before);
    expect(before).toMatchObject({ allowed: false });
    expect(await world.row('appuser', known)).toMatchObject({ allowed: false });
    expect(warnings()).toEqual([expect.stringContaining(`whether a user is locked: user ${unknown}.`)]);
  });
});
