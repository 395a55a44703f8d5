/** The engine behind pgbouncer in transaction mode with its default settings. */
import { randomUUID } from 'node:crypto';
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from '@portal/kit/postgres/pgbouncer.fixture';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HeliumDatabases } from '../../../sync-state/helium-databases.ts';
import { insertRegion, renameRegion } from '../../testing/fault-steps.fixture.ts';
import { runWithRestarts } from '../../testing/restarting-run.fixture.ts';
import { createSyncWorld, openDatabases, type SyncWorld } from '../../testing/sync-world.fixture.ts';

describe.skipIf(!hasPgbouncer)('a Helium database behind pgbouncer', () => {
  let world: SyncWorld;
  let pgbouncer: Pgbouncer;
  let databases: HeliumDatabases;

  beforeAll(async () => {
    world = await createSyncWorld();
    pgbouncer = await startPgbouncer(world.helium.url);
    databases = openDatabases(pgbouncer.toPooled(world.helium.url));
  });
  afterAll(async () => {
    await world.stopRuns();
    await databases.stop();
    await pgbouncer.stop();
    await world.stop();
  });

  test('syncs both ways without an interruption', async () => {
    const run = runWithRestarts(() => world.start(undefined, undefined, databases));
    const ids: string[] = [];
    for (let code = 0; code < 30; code += 1) ids.push(await insertRegion(world, `helium ${code}`, code));
    await world.edit(
      ...Array.from({ length: 15 }, (_, code) => ({
        method: 'put' as const,
        object: { type: 'region', id: randomUUID(), name: `journey ${code}`, code: 100 + code },
      })),
    );
    await world.waitUntilEqual();
    await renameRegion(world, ids[0] ?? '', 'renamed');
    await world.edit({ method: 'patch', object: { type: 'region', id: ids[1] ?? '', name: 'renamed, too' } });
    await world.waitUntilEqual();
    expect(Object.keys(await world.heliumRows())).toHaveLength(45);
    await run.stop();
    expect(run.interruptions).toEqual([]);
    expect(await world.held()).toEqual([]);
  });

  test('leaves the sessions of strangers without names and settings', async () => {
    const { rows } = await world.sql(
      `select count(*)::int as sessions, count(*) filter (where application_name like 'portal-sync %/%')::int as named
       from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
    );
    expect(rows[0].named).toBe(0);
    expect(rows[0].sessions).toBeGreaterThan(0);
  });
});
