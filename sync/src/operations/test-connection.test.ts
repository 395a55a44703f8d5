import { Secret } from '@portal/kit/secret';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { quickRateLimiter } from '../pump/testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../pump/testing/sync-world.fixture.ts';
import { createOperations } from './operations.ts';

let world: SyncWorld;

beforeAll(async () => {
  world = await createSyncWorld();
});
afterAll(() => world.stop());

async function testJourney(change: { readonly password?: string; readonly baseUrl?: string } = {}) {
  const { databases, deployment, integration } = world;
  const { config } = integration;
  const journey = { ...config.journey, baseUrl: change.baseUrl ?? config.journey.baseUrl };
  const target = {
    ...integration,
    config: { ...config, journey },
    journeyPassword: new Secret(change.password ?? deployment.password),
    isNew: true,
  };
  const result = await createOperations(databases, quickRateLimiter()).testConnection(
    target,
    new AbortController().signal,
  );
  return result.journey;
}

it('attributes rejected credentials to the password, and everything else to the URL', async () => {
  const { baseUrl } = world.integration.config.journey;
  expect(await testJourney()).toMatchObject({ reached: true });
  const rejected = await testJourney({ password: 'wrong' });
  expect(rejected).toMatchObject({ reached: false, field: 'journey.restAPICredentials.password' });
  const unknown = await testJourney({ baseUrl: baseUrl.replace(/[^/]+$/, '0'.repeat(24)) });
  expect(unknown).toMatchObject({
    reached: false,
    message: expect.stringMatching(/^There is no deployment with the id in this URL\. /),
  });
  expect(unknown).not.toHaveProperty('field');
  const unreached = await testJourney({ baseUrl: baseUrl.replace(/:\d+/, ':1') });
  expect(unreached.reached).toBe(false);
  expect(unreached).not.toHaveProperty('field');
});
