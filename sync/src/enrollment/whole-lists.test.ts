import type { JourneyUserList } from '@portal/platforms/journey/user-wire';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../helium/helium-gateway.fixture.ts';
import { createEnrollmentFixture, type EnrollmentFixture, sessionMode, userMode } from './enrollment.fixture.ts';
import { consentToRemoval } from './removal-brake.ts';

describe('lists of users that are not whole', () => {
  let world: EnrollmentFixture;
  beforeAll(async () => {
    world = await createEnrollmentFixture();
  });
  afterAll(() => world.drop());

  const alter = (change: (list: JourneyUserList) => JourneyUserList) => ({
    client: {
      ...world.client,
      users: async (...page: Parameters<typeof world.client.users>) => change(await world.client.users(...page)),
    },
  });
  const readAll = async () => {
    const rows: object[] = [];
    for (const table of ['appuser', 'devicesession', 'devicecontainer', 'note']) rows.push(await world.rows(table));
    return rows;
  };

  describe('with multiple devices per user', () => {
    beforeAll(async () => {
      await world.reset({ multiDevice: true });
      for (let count = 0; count < 4; count += 1) await world.signIn(await world.addUser());
      await world.run(sessionMode);
      await world.db.query(`update devicesession set remark = 'lent'`);
      const note =
        'insert into note (_id_, _tstamp_, devicesession_fk) select $1::uuid, now(), _id_ from devicesession limit 1';
      await world.db.query(note, [newId()]);
    });
    beforeEach(() => world.faults.clear());

    it.each(['cut-list', 'empty-list', 'repeat-list', 'no-sessions'] as const)(
      'changes nothing when Journey returns a %s',
      async (mode) => {
        const before = await readAll();
        world.faults.set({ mode, path: '/users$' });
        await expect(world.run(sessionMode)).rejects.toThrow(/is not whole|without its sessions/);
        expect(await readAll()).toEqual(before);
        world.faults.clear();
        expect(await world.run(sessionMode)).toMatchObject({ rows: 0, sessions: 4 });
      },
    );

    it('changes nothing when Journey lists no users and announces more', async () => {
      const before = await readAll();
      await expect(
        world.run(
          sessionMode,
          alter((list) => ({ ...list, objects: [], more: true })),
        ),
      ).rejects.toThrow('is not whole');
      expect(await readAll()).toEqual(before);
    });

    it.each([0, null])('waits for an operator when Journey lists no users, with the total %s', async (total) => {
      const before = await readAll();
      const noUsers = alter(() => ({ objects: [], more: false, total }));
      expect(await world.run(sessionMode, noUsers)).toMatchObject({ rows: 0 });
      expect(await readAll()).toEqual(before);
      expect(world.lines).toContainEqual(
        expect.stringContaining('Journey no longer lists 4 of 4 rows of devicesession. They were left as they are.'),
      );
    });

    it('accepts a list without a total once it is read twice', async () => {
      world.faults.set({ mode: 'no-total', path: '/users$' });
      expect(await world.run(sessionMode)).toMatchObject({ rows: 0, sessions: 4 });
    });

    it('deletes the sessions to whose removal an operator consents, and no more than were found', async () => {
      const noUsers = alter(() => ({ objects: [], more: false, total: 0 }));
      const { stateKey } = world.round(sessionMode);
      const consent = async () => {
        for (const table of ['devicesession', 'devicecontainer'])
          await consentToRemoval(world.db, stateKey, `rows of ${table}`);
      };
      expect(await consentToRemoval(world.db, stateKey, 'rows of note')).toBe(0);
      await world.run(sessionMode, noUsers);
      await consent();
      await world.db.query(`insert into devicesession (_id_, _tstamp_) values ($1, now())`, [newId()]);
      await world.run(sessionMode, noUsers);
      expect(await world.rows('devicesession')).toHaveLength(5);
      await consent();
      await world.run(sessionMode, noUsers);
      expect(await world.rows('devicesession')).toEqual([]);
      expect(await world.rows('devicecontainer')).toEqual([]);
    });
  });

  describe('with a single device per user', () => {
    let locked: string;
    beforeAll(async () => {
      await world.reset({ multiDevice: false });
      locked = await world.addUser();
      await world.addUser();
      await world.client.lockUser(locked);
      await world.run(userMode);
    });

    it.each(['cut-list', 'empty-list', 'repeat-list'] as const)(
      'gives a locked user no access when Journey returns a %s',
      async (mode) => {
        world.faults.set({ mode, path: '/users$' });
        const before = await readAll();
        await expect(world.run(userMode)).rejects.toThrow('is not whole');
        world.faults.clear();
        expect(await readAll()).toEqual(before);
        expect(await world.row('appuser', locked)).toMatchObject({ allowed: false });
      },
    );

    it('gives a user whom Journey does not list no access', async () => {
      const users = alter(({ objects, total }) => ({
        objects: objects.filter(({ id }) => id !== locked),
        total: (total ?? 0) - 1,
        more: false,
      }));
      await world.run(userMode, users);
      expect(await world.row('appuser', locked)).toMatchObject({ allowed: false });
    });
  });
});
