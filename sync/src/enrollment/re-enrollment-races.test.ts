import { JourneyEnrollment } from '@portal/platforms/journey/user-wire';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEnrollmentFixture, type EnrollmentFixture, userMode } from './enrollment.fixture.ts';
import type { EnrollmentClient } from './enrollment-round.ts';
import { PendingRequests } from './pending-requests.ts';
import { runEnrollmentRequests } from './run-enrollment.ts';

describe('re-enrollment races', () => {
  let world: EnrollmentFixture;
  let id: string;
  beforeAll(async () => {
    world = await createEnrollmentFixture();
  });
  beforeEach(async () => {
    await world.reset({ multiDevice: false });
    id = await world.addUser();
    await world.run(userMode);
    await enroll();
    await world.set('appuser', id, { reenroll: true });
  });
  afterAll(() => world.drop());

  const enroll = async () => {
    const { objects } = await world.client.list('user', { limit: 1000 });
    const enrollment = JourneyEnrollment.parse(objects.find((user) => user.id === id)?.enrollment);
    await world.deployment.device.enroll(String(enrollment.url));
  };
  const isEnrolled = async () => (await world.client.user(id)).enrolled;

  /** Runs `act` while Journey's response to the call is on its way. */
  const duringCall = (action: () => Promise<unknown>): { readonly client: EnrollmentClient } => ({
    client: {
      ...world.client,
      async reEnroll(...args) {
        await world.client.reEnroll(...args);
        await action();
      },
    },
  });

  it('keeps what the app writes into the row during re-enrollment', async () => {
    await world.run(
      userMode,
      duringCall(() => world.set('appuser', id, { name: 'by the app' })),
    );
    expect(await world.row('appuser', id)).toMatchObject({ name: 'by the app', reenroll: false });
  });

  it('skips a row that the app deletes during re-enrollment, and processes the others', async () => {
    const other = await world.addUser();
    await world.set('appuser', other, { reenroll: true });
    await world.run(
      userMode,
      duringCall(() => world.db.query('delete from appuser where _id_ = $1', [id])),
    );
    expect(await world.row('appuser', id)).toBeUndefined();
    expect(await world.row('appuser', other)).toMatchObject({ reenroll: false });
  });

  it('shows a user who signs in again immediately as enrolled', async () => {
    await world.run(userMode, duringCall(enroll));
    expect(await isEnrolled()).toBe(true);
    expect(await world.row('appuser', id)).toMatchObject({ reenroll: false, enrolled: true });
    expect(await world.run(userMode)).toMatchObject({ requests: 0 });
    expect(await isEnrolled()).toBe(true);
  });

  it('reaches the same result when two processes re-enroll concurrently', async () => {
    await Promise.all([world.run(userMode), world.run(userMode)]);
    expect(await world.row('appuser', id)).toMatchObject({ reenroll: false, enrolled: false });
    await enroll();
    await world.run(userMode);
    expect(await world.row('appuser', id)).toMatchObject({ enrolled: true });
  });

  it("waits for the app's open transaction that requests re-enrollment", async () => {
    await world.set('appuser', id, { reenroll: false });
    await world.run(userMode);
    const app = await world.helium.connect();
    await app.query('begin');
    await app.query('update appuser set reenroll = true where _id_ = $1', [id]);
    expect(await world.run(userMode)).toMatchObject({ requests: 0 });
    await app.query('commit');
    expect(await world.run(userMode)).toMatchObject({ requests: 1 });
    expect(await world.row('appuser', id)).toMatchObject({ reenroll: false });
  });

  it('calls Journey only when no other session has locked the row', async () => {
    const app = await world.helium.connect();
    await app.query('begin');
    await app.query(`update appuser set name = 'open' where _id_ = $1`, [id]);
    const pending = new PendingRequests(900_000);
    const run = () => runEnrollmentRequests(world.round(userMode, { pending }));
    expect([await run(), await isEnrolled()]).toEqual([0, true]);
    await app.query('commit');
    expect(pending.retryAtMs).toBeLessThan(Date.now() + 60_000);
    await world.run(userMode);
    expect(await world.row('appuser', id)).toMatchObject({ name: 'open', reenroll: false, enrolled: false });
  });
});
