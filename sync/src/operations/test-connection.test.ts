import type { SyncConfig } from '@portal/contract/sync/config';
import { Secret } from '@portal/kit/secret';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { quickRateLimiter } from '../engine/testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../engine/testing/sync-world.fixture.ts';
import { sessionMode } from '../enrollment/enrollment.fixture.ts';
import { createOperations } from './operations.ts';

let world: SyncWorld;

beforeAll(async () => {
  world = await createSyncWorld();
});
afterEach(() => world.journey.faults.clear());
afterAll(() => world.stop());

async function test(
  change: Partial<SyncConfig> = {},
  { password = world.deployment.password, isNew = true }: { readonly password?: string; readonly isNew?: boolean } = {},
) {
  const { databases, integration } = world;
  const config = { ...integration.config, ...change };
  const target = { ...integration, config, journeyPassword: new Secret(password), isNew };
  return createOperations(databases, quickRateLimiter()).testConnection(target, new AbortController().signal);
}

async function testJourney({ password, baseUrl }: { readonly password?: string; readonly baseUrl?: string } = {}) {
  const { journey } = world.integration.config;
  const result = await test(
    { journey: { ...journey, baseUrl: baseUrl ?? journey.baseUrl } },
    password === undefined ? {} : { password },
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

describe.each([
  ['a new', true],
  ['a saved', false],
])('the test of %s integration', (_, isNew) => {
  it.each([
    ['oplog', 'enableJourneyToHelium', 'The op-log cannot be read: '],
    ['batch', 'enableHeliumToJourney', 'Journey does not accept writes: '],
  ] as const)('finds that %s.json fails, unless the direction that needs it is off', async (path, field, reason) => {
    expect((await test({}, { isNew })).problems).toEqual([]);
    world.journey.faults.set({ mode: 'error500', path: `/${path}\\.json` });
    expect(await test({}, { isNew })).toMatchObject({
      journey: { reached: true },
      problems: [{ field, reason: expect.stringMatching(new RegExp(`^${reason}.*status 500`)) }],
    });
    expect((await test({ [field]: false }, { isNew })).problems).toEqual([]);
  });
});

it('finds that the list of users fails when enrollment with several devices is enabled', async () => {
  const listFailed = { field: 'journeyToHeliumEnrollment.enabled', reason: expect.stringContaining('status 500') };
  const enrollment = { journeyToHeliumEnrollment: sessionMode };
  expect((await test(enrollment)).problems).not.toContainEqual(listFailed);
  world.journey.faults.set({ mode: 'error500', path: '/users$' });
  expect((await test(enrollment)).problems).toContainEqual(listFailed);
});
