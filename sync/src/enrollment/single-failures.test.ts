import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEnrollmentFixture, type EnrollmentFixture, sessionMode, userMode } from './enrollment.fixture.ts';
import { PendingRequests } from './pending-requests.ts';
import { RecurringWarnings } from './recurring-warnings.ts';
import { runEnrollmentRequests } from './run-enrollment.ts';

describe("a single user's or row's failure", () => {
  let world: EnrollmentFixture;
  beforeAll(async () => {
    world = await createEnrollmentFixture();
  });
  afterAll(() => world.drop());

  const read = async (id: string) => (await world.row('appuser', id)) ?? {};
  const countCalls = () => {
    const calls: string[] = [];
    const authenticationToken = (id: string) => {
      calls.push(id);
      return world.client.authenticationToken(id);
    };
    return { calls, client: { ...world.client, authenticationToken } };
  };
  /** Checks rows written in one round with another catalog, after the app has changed a table. */
  const withCatalog = async () => ({ catalog: await world.helium.gateway.readCatalog() });

  describe('with multiple devices per user', () => {
    let first: string;
    let second: string;
    let third: string;
    beforeEach(async () => {
      await world.reset({ multiDevice: true });
      const ids = [await world.addUser(), await world.addUser(), await world.addUser()].sort();
      [first = '', second = '', third = ''] = ids;
      for (const id of ids) await world.signIn(id);
    });

    it.each(['error500', 'html', 'unauthorized', 'drop'] as const)(
      'a failed code (%s) delays no other request and no session',
      async (mode) => {
        await world.set('appuser', first, { wantscode: true });
        await world.set('appuser', second, { wantscode: true });
        await world.set('appuser', third, { locked: true });
        world.faults.set({ mode, path: `users/${first}/authentication-token` });
        await world.run(sessionMode);
        expect([(await read(first)).wantscode, (await read(second)).wantscode]).toEqual([true, false]);
        expect((await world.client.user(third)).locked).toBe(true);
        expect((await world.rows('devicesession')).map(({ appuser_fk }) => appuser_fk)).toEqual(
          expect.arrayContaining([first, second, third]),
        );
        expect(world.lines).toContainEqual(expect.stringContaining(`code of appuser ${first} stays pending`));
      },
    );

    it('a failed lock delays no other lock', async () => {
      for (const id of [first, second, third]) await world.set('appuser', id, { locked: true });
      world.faults.set({ mode: 'error500', path: `users/${first}/lock` });
      const pending = new PendingRequests(900_000);
      await world.run(sessionMode, { pending });
      const isLocked = async (id: string) => (await world.client.user(id)).locked;
      expect([await isLocked(first), await isLocked(second), await isLocked(third)]).toEqual([false, true, true]);
      expect(pending.retryAtMs).toBeLessThan(Number.POSITIVE_INFINITY);
      expect((await world.rows('devicesession')).length).toBeGreaterThanOrEqual(3);
    });

    it('a failure for several users in a row counts as a failure of the deployment', async () => {
      for (const id of [first, second, third]) await world.set('appuser', id, { wantscode: true });
      world.faults.set({ mode: 'error500', path: 'authentication-token' });
      await expect(runEnrollmentRequests(world.round(sessionMode))).rejects.toThrow('status 500');
      expect(await world.run(sessionMode)).toMatchObject({ requests: 0 });
      expect((await world.rows('devicesession')).length).toBeGreaterThanOrEqual(3);
    });

    it('a code that cannot be stored is not requested again', async () => {
      await world.run(sessionMode);
      await world.set('appuser', first, { wantscode: true });
      await world.set('appuser', second, { wantscode: true });
      const condition = `_id_ <> '${first}' or code is null`;
      await world.db.query(`alter table appuser add constraint no_code check (${condition})`);
      const { calls, client } = countCalls();
      for (let round = 0; round < 3; round += 1) await world.run(sessionMode, { client });
      expect(calls).toEqual([first, second]);
      expect(await read(first)).toMatchObject({ wantscode: true, code: null });
      await world.db.query('alter table appuser drop constraint no_code');
      await world.run(sessionMode, { client });
      expect(calls).toHaveLength(2);
      expect(await read(first)).toMatchObject({ wantscode: false, code: expect.any(String) });
    });

    it('storing a code is no longer attempted once its request ends, and a new request makes a new call', async () => {
      await world.set('appuser', first, { wantscode: true });
      await world.db.query(`alter table appuser add constraint no_code check (code is null)`);
      const { calls, client } = countCalls();
      await world.run(sessionMode, { client });
      await world.set('appuser', first, { wantscode: false });
      await world.run(sessionMode, { client });
      await world.db.query('alter table appuser drop constraint no_code');
      await world.set('appuser', first, { wantscode: true });
      await world.run(sessionMode, { client });
      expect(calls).toEqual([first, first]);
    });

    it('a label that is too long is cut to its column and repaired', async () => {
      await world.db.query('alter table devicesession alter label type varchar(8)');
      const users = async (...page: Parameters<typeof world.client.users>) => {
        const list = await world.client.users(...page);
        const objects = list.objects.map((user) => ({
          ...user,
          sessions: user.sessions?.map((session) => ({ ...session, label: 'a\ud800\0b🌾 much too long' })) ?? null,
        }));
        return { ...list, objects };
      };
      await world.run(sessionMode, { client: { ...world.client, users }, ...(await withCatalog()) });
      await world.db.query('alter table devicesession alter label type text');
      const labels = new Set((await world.rows('devicesession')).map(({ label }) => label));
      expect([...labels]).toEqual(['a\ufffdb🌾 muc']);
    });

    it('the failure to store a result names the column and its limit, and not the code', async () => {
      await world.run(sessionMode);
      await world.set('appuser', first, { wantscode: true });
      await world.db.query('alter table appuser alter code type varchar(2)');
      await world.run(sessionMode, await withCatalog());
      await world.db.query('alter table appuser alter code type text');
      await world.run(sessionMode, await withCatalog());
      const { code } = await read(first);
      expect(code).toEqual(expect.any(String));
      expect(world.lines.filter((line) => line.includes('was executed'))).toEqual([
        `WARNING Enrollment code of appuser ${first} was executed. code has ${String(code).length} characters; the column takes 2. ` +
          'It is not executed again; its result is written as soon as that is possible.',
      ]);
    });

    it('the failure to write a row leaves that row, is logged once, and hides no lock', async () => {
      await world.run(sessionMode);
      await world.client.lockUser(first);
      await world.client.lockUser(second);
      await world.db.query(`
        create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no changes'; end $$;
        create trigger refuse before update on appuser for each row when (old._id_ = '${first}')
          execute function refuse()`);
      const warnings = new RecurringWarnings();
      for (let round = 0; round < 2; round += 1)
        expect(await world.run(sessionMode, { warnings })).toMatchObject({ waiting: 1 });
      await world.db.query('drop function refuse cascade');
      expect([(await read(first)).locked, (await read(second)).locked]).toEqual([false, true]);
      expect(world.lines.filter((line) => line.includes('no changes'))).toEqual([
        `WARNING Enrollment: row ${first} of appuser was left as it is. no changes`,
      ]);
      expect(await world.run(sessionMode, { warnings })).toMatchObject({ requests: 0, waiting: 0 });
      expect((await read(first)).locked).toBe(true);
      expect((await world.client.user(first)).locked).toBe(true);
    });

    it('the failure to delete a session leaves that session and refreshes all others', async () => {
      const ended = '00000000-0000-4000-8000-00000000dead';
      await world.run(sessionMode);
      await world.db.query(`
        insert into devicesession (_id_, _tstamp_, state) values ('${ended}', now(), 'ENROLLED');
        create table loan (session uuid references devicesession deferrable initially deferred);
        insert into loan values ('${ended}')`);
      await world.client.lockUser(second);
      const warnings = new RecurringWarnings();
      await world.run(sessionMode, { warnings });
      await world.run(sessionMode, { warnings });
      expect(await world.row('devicesession', ended)).toMatchObject({ state: 'ENROLLED' });
      const states = (await world.rows('devicesession')).filter(({ appuser_fk }) => appuser_fk === second);
      expect(states).toMatchObject([{ state: 'LOCKED' }]);
      expect(world.lines.filter((line) => line.includes(`row ${ended} of devicesession was left`))).toHaveLength(1);
      await world.db.query('drop table loan');
      await world.run(sessionMode, { warnings });
      expect(await world.row('devicesession', ended)).toBeUndefined();
    });

    it('never holds a slot while Journey is called', async () => {
      await world.set('appuser', first, { wantscode: true, locked: true });
      let held = 0;
      const calls: number[] = [];
      const withSlot = async <T>(work: () => Promise<T>) => {
        held += 1;
        return work().finally(() => {
          held -= 1;
        });
      };
      const watch =
        <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
        (...args: Args) => {
          calls.push(held);
          return call(...args);
        };
      const { users, user, lockUser, reAuthenticate, authenticationToken } = world.client;
      const client = {
        ...world.client,
        users: watch(users),
        user: watch(user),
        lockUser: watch(lockUser),
        reAuthenticate: watch(reAuthenticate),
        authenticationToken: watch(authenticationToken),
      };
      expect(await world.run(sessionMode, { client, withSlot })).toMatchObject({ requests: 2 });
      expect(calls.length).toBeGreaterThan(3);
      expect(new Set(calls)).toEqual(new Set([0]));
    });
  });

  it('a failed request ends no attempt: the other requests are executed in the same one', async () => {
    await world.reset({ multiDevice: true });
    const ids = [await world.addUser(), await world.addUser(), await world.addUser()].sort();
    for (const id of ids) await world.set('appuser', id, { wantscode: true });
    world.faults.set({ mode: 'error500', path: `users/${ids[0]}/authentication-token` });
    expect(await runEnrollmentRequests(world.round(sessionMode))).toBe(2);
  });

  it('the failure to write a user names the columns and their limits, and not the link', async () => {
    await world.reset({ multiDevice: false });
    const id = await world.addUser();
    await world.db.query('alter table appuser alter url type varchar(8), alter barcode type varchar(9)');
    await world.run(userMode, await withCatalog());
    await world.db.query('alter table appuser alter url type text, alter barcode type text');
    await world.db.query('alter table appuser add constraint no_link check (url is null)');
    await world.run(userMode, await withCatalog());
    await world.db.query('alter table appuser drop constraint no_link');
    await world.run(userMode);
    const { length } = String((await read(id)).url);
    const has = (limit: number) => `has ${length} characters; the column takes ${limit}.`;
    // Users of earlier tests fail for the same reasons.
    const reasons = world.lines.flatMap((line) => line.split(' was left as it is. ').slice(1));
    expect(new Set(reasons)).toEqual(
      new Set([`url ${has(8)} barcode ${has(9)}`, "url violates Helium's check no_link."]),
    );
  });

  it('a failed re-enrollment delays no other one, and no user row', async () => {
    await world.reset({ multiDevice: false });
    const [first = '', second = ''] = [await world.addUser(), await world.addUser()].sort();
    await world.set('appuser', first, { reenroll: true });
    await world.set('appuser', second, { reenroll: true });
    world.faults.set({ mode: 'error500', path: `${first}/re_enroll` });
    await world.run(userMode);
    expect(await read(first)).toMatchObject({ reenroll: true, url: expect.any(String) });
    expect(await read(second)).toMatchObject({ reenroll: false, url: expect.any(String) });
  });
});
