import { Secret } from '@portal/kit/secret';
import { createJourneyClient, type JourneyClient } from '@portal/platforms/journey/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeploymentHandle, JourneySimulator } from '../simulator.ts';
import { smallDeployment } from '../small-deployment.ts';
import { startTestJourney } from '../test-simulator.ts';
import { signInNext } from './sign-in-devices.ts';

describe('demo devices', () => {
  let journey: JourneySimulator;
  let deployment: DeploymentHandle;
  let client: JourneyClient;
  const { signal } = new AbortController();
  const ids = [1, 2].map((number) => `00000000-0000-4000-8000-00000000000${number}`);
  beforeAll(async () => {
    journey = await startTestJourney();
    deployment = journey.deployment(smallDeployment.id);
    client = createJourneyClient({
      baseUrl: deployment.url,
      userName: deployment.userName,
      password: new Secret(deployment.password),
    });
  });
  afterAll(() => journey.stop({ dropDatabase: true }));

  it('sign in until every user has a device, in both enrollment modes', async () => {
    const users = { deployment, userModel: 'user' };
    const signedIn = async () => {
      const { objects } = await client.users();
      return objects.map(({ sessions }) => (sessions ?? []).filter(({ state }) => state === 'ENROLLED').length);
    };
    deployment.setMultiDevice(false);
    expect(await signInNext({ ...users, multiDevice: false }, client, signal)).toBe(false);
    for (const id of ids) await deployment.device.edit({ method: 'put', object: { type: 'user', id, name: 'Ruth' } });
    while (await signInNext({ ...users, multiDevice: false }, client, signal));
    expect(await signedIn()).toEqual([1, 1]);

    deployment.setMultiDevice(true);
    while (await signInNext({ ...users, multiDevice: true }, client, signal));
    expect(await signedIn()).toEqual([2, 1]);

    await client.lockUser(ids[1] ?? '');
    expect(await signInNext({ ...users, multiDevice: true }, client, signal)).toBe(false);
  });
});
