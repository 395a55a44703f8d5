import { JourneyEnrollment } from '@portal/platforms/journey/user-wire';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEnrollmentFixture, type EnrollmentFixture, userMode } from './enrollment.fixture.ts';
import type { EnrollmentClient } from './enrollment-round.ts';

describe('re-enrollment, and what happens while it is carried out', () => {
  let world: EnrollmentFixture;
  let id: string;
  beforeAll(async () => {
    world = await createEnrollmentFixture();
  });
  beforeEach(async () => {
    await world.reset({ multiDevice: false });
    id = await world.addUser();
    await world.run(userMode);
    await enrol();
    await world.set('appuser', id, { reenroll: true });
  });
  afterAll(() => world.drop());

  const enrol = async () => {
    const { objects } = await world.client.list('user', { limit: 1000 });
    const enrollment = JourneyEnrollment.parse(objects.find((user) => user.id === id)?.enrollment);
    await world.deployment.device.enroll(String(enrollment.url));
  };
  const isEnrolled = async () => (await world.client.user(id)).enrolled;

  /** Journey's answer to the call is on its way when `act` happens. */
  const meanwhile = (act: () => Promise<unknown>): { readonly client: EnrollmentClient } => ({
    client: {
      ...world.client,
      async reEnroll(...args) {
        await world.client.reEnroll(...args);
        await act();
      },
    },
  });

  it('keeps what the app writes into the row', async () => {
    await world.run(
      userMode,
      meanwhile(() => world.set('appuser', id, { name: 'by the app' })),
    );
    expect(await world.row('appuser', id)).toMatchObject({ name: 'by the app', reenroll: false });
  });

  it('leaves a row alone that the app deletes, and goes on with the others', async () => {
    const other = await world.addUser();
    await world.set('appuser', other, { reenroll: true });
    await world.run(
      userMode,
      meanwhile(() => world.db.query('delete from appuser where _id_ = $1', [id])),
    );
    expect(await world.row('appuser', id)).toBeUndefined();
    expect(await world.row('appuser', other)).toMatchObject({ reenroll: false });
  });

  it('shows who signs in again at once as enrolled', async () => {
    await world.run(userMode, meanwhile(enrol));
    expect(await isEnrolled()).toBe(true);
    expect(await world.row('appuser', id)).toMatchObject({ reenroll: false, enrolled: true });
    expect(await world.run(userMode)).toMatchObject({ requests: 0 });
    expect(await isEnrolled()).toBe(true);
  });

  it('by two processes at once comes to the same as by one', async () => {
    await Promise.all([world.run(userMode), world.run(userMode)]);
    expect(await world.row('appuser', id)).toMatchObject({ reenroll: false, enrolled: false });
    await enrol();
    await world.run(userMode);
    expect(await world.row('appuser', id)).toMatchObject({ enrolled: true });
  });

  it('asked for by the app in a transaction that is still open waits for it to end', async () => {
    await world.set('appuser', id, { reenroll: false });
    await world.run(userMode);
    const app = await world.helium.connect();
    await app.query('begin');
    await app.query('update appuser set reenroll = true where _id_ = $1', [id]);
    // The row is held, and nothing of it differs: nobody waits.
    expect(await world.run(userMode, { lockTimeoutMs: 50 })).toMatchObject({ requests: 0 });
    await app.query('commit');
    expect(await world.run(userMode)).toMatchObject({ requests: 1 });
    expect(await world.row('appuser', id)).toMatchObject({ reenroll: false });
  });
});
