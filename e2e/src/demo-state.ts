/** The data that the demo systems of a run start from. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getEnvironments } from '@portal/contract/environments';
import { getSyncBase, withBase } from '@portal/contract/sync/base';
import { listIntegrations, type SyncIntegration } from '@portal/contract/sync/integration';
import { findFreePort } from '@portal/kit/ports';
import { startPostgres } from '@portal/kit/postgres/launcher';
import { withClient } from '@portal/kit/postgres/pool';
import { expect, vi } from 'vitest';
import { createStateFolder, startDemoSystem } from './demo-system.ts';
import { oncePerRun } from './once-per-run.ts';

let state: Promise<string> | undefined;

/**
 * Returns a state folder of this worker, to copy: to build and fill the platforms, and to sync them
 * for the first time, takes most of a start.
 */
export function prepareDemoState(): Promise<string> {
  state ??= prepareState();
  return state;
}

async function prepareState(): Promise<string> {
  let isOwn = false;
  const stateDir = await oncePerRun('demo-state', async () => {
    isOwn = true;
    const system = await startDemoSystem();
    await waitUntilSettled(system.port);
    await waitUntilSynced(system.port);
    await system.stop({ keepState: true });
    return system.stateDir;
  });
  return isOwn ? stateDir : copyWithOtherPorts(stateDir);
}

/** Waits until the integrations of Production, which are created after the start, have a status. */
export async function waitUntilSettled(port: number): Promise<void> {
  const statuses = ['Disabled', 'Enabled', 'Enabled', 'Halted'];
  await waitFor(async () => {
    const integrations = await readIntegrations(port, ['Production']);
    expect(integrations.map(({ status }) => status).toSorted()).toEqual(statuses);
  });
}

/** Otherwise each system would sync the same records again while tests run. */
async function waitUntilSynced(port: number): Promise<void> {
  await waitFor(async () => {
    const integrations = await readIntegrations(port, ['Production', 'Zambia-production', 'Staging']);
    const enabled = integrations.filter(({ status }) => status === 'Enabled');
    const directions = enabled.flatMap((one) => [one.heliumSyncStatus, one.journeySyncStatus]);
    expect(directions).toEqual(Array.from({ length: 8 }, () => 'Live'));
  });
}

function waitFor(check: () => Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 400_000, interval: 500 });
}

async function readIntegrations(port: number, environments: readonly string[]): Promise<SyncIntegration[]> {
  const portal = `http://127.0.0.1:${port}`;
  const all = getEnvironments.response.parse(await (await fetch(portal + getEnvironments.path)).json());
  const lists = environments.map(async (environment) => {
    const response = await fetch(portal + withBase(getSyncBase(environment), listIntegrations).path, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('demo:demo')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ baseUrl: all.find(({ name }) => name === environment)?.baseUrl }),
    });
    return listIntegrations.response.parse(await response.json());
  });
  return (await Promise.all(lists)).flat();
}

/**
 * The system of another worker uses the saved ports, which integrations have stored, at the same
 * time.
 */
async function copyWithOtherPorts(from: string): Promise<string> {
  const stateDir = createStateFolder(from);
  const replaced = new Map<string, number>();
  for (const file of ['ports.json', 'helium-ports.json'].map((name) => join(stateDir, name))) {
    const ports: Record<string, number> = JSON.parse(readFileSync(file, 'utf8'));
    for (const [name, port] of Object.entries(ports)) {
      ports[name] = await findFreePort();
      replaced.set(String(port), ports[name]);
    }
    writeFileSync(file, JSON.stringify(ports));
  }
  const postgres = await startPostgres({ dataDir: join(stateDir, 'postgres') });
  await withClient({ connectionString: postgres.urlFor('portal') }, async (client) => {
    const { rows } = await client.query<{ id: number; config: string }>(
      'select id, config::text as config from sync.integration',
    );
    for (const { id, config } of rows) {
      const changed = config.replaceAll(/(?<=127\.0\.0\.1:)\d+/g, (port) => String(replaced.get(port) ?? port));
      await client.query('update sync.integration set config = $2 where id = $1', [id, changed]);
    }
  });
  await postgres.stop();
  return stateDir;
}
