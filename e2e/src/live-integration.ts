import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { createPlatformClients, type PlatformClients } from './platform-clients.ts';
import { fetchIntegration } from './sync-form-steps.ts';
import { arrive } from './user-actions.ts';

export const live = { status: 'Enabled', heliumSyncStatus: 'Live', journeySyncStatus: 'Live' };

export interface LiveIntegration {
  readonly environment: string;
  readonly appId: string;
  /** The app and its deployment, as their own users access them. */
  readonly clients: PlatformClients;
}

/** Opens the sync list, and waits until both directions of an app's integration are live. */
export async function arriveAtLive(page: Page, environment: string, appName: string): Promise<LiveIntegration> {
  const apps = await arrive(page, '/sync', { environment });
  const appId = apps.find(({ name }) => name === appName)?.id ?? '';
  await expect.poll(() => fetchIntegration(page, appId, environment), { interval: 200 }).toMatchObject(live);
  return { environment, appId, clients: await createPlatformClients(page, environment, appId) };
}
