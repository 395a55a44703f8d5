import { randomUUID } from 'node:crypto';
import type { SyncConfig } from '@portal/contract/sync/config';
import { Secret } from '@portal/kit/secret';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toUpload } from '../engine/testing/photo-uploads.fixture.ts';
import { startResponseProxy } from '../engine/testing/response-proxy.fixture.ts';
import { quickRateLimiter } from '../engine/testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../engine/testing/sync-world.fixture.ts';
import { visitWithPhoto } from '../engine/testing/visit-with-photo.fixture.ts';
import { createOperations } from './operations.ts';

let world: SyncWorld;
beforeAll(async () => {
  world = await createSyncWorld(visitWithPhoto);
});
afterAll(() => world.stop());

it("warns of files at a host that is not configured, and not of Journey's own", async () => {
  const proxy = await startResponseProxy(world);
  const testThrough = async (change: (config: SyncConfig) => SyncConfig) => {
    const { databases, deployment, integration } = world;
    const config = change(integration.config);
    const target = { ...integration, config, journeyPassword: new Secret(deployment.password), isNew: false };
    const operations = createOperations(databases, quickRateLimiter());
    const { problems, notes } = await operations.testConnection(target, new AbortController().signal);
    expect(problems).toEqual([]);
    return notes.filter(({ severity }) => severity === 'warning');
  };
  try {
    await world.edit({ method: 'put', object: { type: 'visit', id: randomUUID(), note: 'without a photo' } });
    expect(await testThrough(proxy.through)).toEqual([]);
    const photo = toUpload(createPhoto(1_000));
    await world.edit({ method: 'put', object: { type: 'visit', id: randomUUID(), note: 'with one', photo } });
    expect(await testThrough((config) => config)).toEqual([]);
    // Seen through the proxy, the files are at another host.
    const { host } = new URL(world.deployment.url);
    const reason = expect.stringMatching(new RegExp(`${host}.*sync\\.fileHosts`));
    expect(await testThrough(proxy.through)).toEqual([{ severity: 'warning', object: 'visit', field: null, reason }]);
  } finally {
    await proxy.stop();
  }
});
