import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../helium/helium-gateway.fixture.ts';
import { createEnrollmentFixture, type EnrollmentFixture, sessionMode, userMode } from './enrollment.fixture.ts';
import { consentToRemoval } from './removal-brake.ts';

describe('users whom Journey no longer has', () => {
  let world: EnrollmentFixture;
  beforeAll(async () => {
    world = await createEnrollmentFixture();
  });
  afterAll(() => world.drop());

  const remove = (id: string) => world.deployment.device.edit({ method: 'delete', object: { type: 'user', id } });
  const addUnlisted = async () => {
    const id = newId();
    const row = `insert into appuser (_id_, _tstamp_, enrolled, locked, allowed, url) values ($1, now(), true, false, true, 'own')`;
    await world.db.query(row, [id]);
    return id;
  };

  it('are locked and not enrolled with multiple devices per user', async () => {
    await world.reset({ multiDevice: true });
    world.deployment.setListsDeletedUsers(false);
    const [removed, other] = [await world.addUser(), await world.addUser()];
    const unlisted = await addUnlisted();
    const before = await world.row('appuser', unlisted);
    await world.signIn(removed);
    await world.signIn(other);
    await world.set('appuser', removed, { wantscode: true });
    await world.run(sessionMode);
    expect(await world.row('appuser', removed)).toMatchObject({ enrolled: true, locked: false });

    await remove(removed);
    await world.run(sessionMode);
    const shown = { enrolled: false, locked: true, code: null };
    expect(await world.row('appuser', removed)).toMatchObject(shown);
    expect(await world.rows('devicesession')).toMatchObject([{ appuser_fk: other }]);
    expect(await world.row('appuser', other)).toMatchObject({ enrolled: true, locked: false });
    expect(await world.row('appuser', unlisted)).toEqual(before);
    expect(await world.run(sessionMode)).toMatchObject({ rows: 0, requests: 0 });
  });

  it('lose their access with a single device per user', async () => {
    await world.reset({ multiDevice: false });
    const [removed, other] = [await world.addUser(), await world.addUser()];
    const unlisted = await addUnlisted();
    const before = await world.row('appuser', unlisted);
    await world.set('appuser', removed, { wantscode: true });
    await world.run(userMode);
    expect(await world.row('appuser', removed)).toMatchObject({ allowed: true, url: expect.any(String) });

    await remove(removed);
    await world.run(userMode);
    const shown = { allowed: false, enrolled: false, url: null, barcode: null, code: null };
    expect(await world.row('appuser', removed)).toMatchObject(shown);
    expect(await world.row('appuser', other)).toMatchObject({ allowed: true });
    expect(await world.row('appuser', unlisted)).toEqual(before);
  });

  it('keep their access until an operator consents, if there are no others', async () => {
    await world.reset({ multiDevice: false });
    const id = await world.addUser();
    await world.run(userMode);
    const noUsers = async () => ({ objects: [], unreadable: 0, more: false, total: 0 });
    const options = { client: { ...world.client, list: noUsers, users: noUsers } };
    await world.run(userMode, options);
    await world.run(userMode, options);
    expect(await world.row('appuser', id)).toMatchObject({ allowed: true });
    expect(world.lines).toContainEqual(expect.stringMatching(/no longer lists (\d+) of \1 users/));
    expect(await consentToRemoval(world.db, world.round(userMode).stateKey, 'users')).toBeGreaterThan(0);
    await world.run(userMode, options);
    expect(await world.row('appuser', id)).toMatchObject({ allowed: false, url: null });
    await world.run(userMode);
    expect(await world.row('appuser', id)).toMatchObject({ allowed: true, url: expect.any(String) });
  });
});
