import { Secret } from '@portal/kit/secret';
import { quickRateLimiter } from '../engine/testing/sync-integration.fixture.ts';
import type { SyncWorld } from '../engine/testing/sync-world.fixture.ts';
import { createOperations } from './operations.ts';

/** Finds records of the world's integration, as an operator does. */
export function findRecordsOf(world: SyncWorld, search: Readonly<Record<string, string>>, databases = world.databases) {
  return createOperations(databases, quickRateLimiter()).findRecords(
    world.integration,
    { ...search, journeyPassword: new Secret(world.deployment.password) },
    new AbortController().signal,
  );
}
