import type { Pool } from '@portal/kit/postgres/pool';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { insertRegion, waitUntil } from '../testing/fault-steps.fixture.ts';
import { type ResponseProxy, startResponseProxy } from '../testing/response-proxy.fixture.ts';
import { dataSource, environment } from '../testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../testing/sync-world.fixture.ts';

let world: SyncWorld;
let proxy: ResponseProxy;

beforeEach(async () => {
  world = await createSyncWorld();
  proxy = await startResponseProxy(world);
});
afterEach(async () => {
  await world.stop();
  await proxy.stop();
});

/** Those that one statement makes for many integrations. */
const isShared = (statement: string) => /pg_current_wal_insert_lsn|helium_drawn|helium_fingerprints/.test(statement);

/** Returns the statements of the pool while the work runs; transactions are 'a connection'. */
async function collectStatements(pool: Pool, work: () => Promise<void>): Promise<string[]> {
  const query = vi.spyOn(pool, 'query');
  let connections = 0;
  const count = () => {
    connections += 1;
  };
  pool.on('acquire', count);
  await work();
  pool.off('acquire', count);
  const statements = query.mock.calls.map(([first]) => JSON.stringify(first));
  query.mockRestore();
  return [...statements, ...Array.from({ length: connections - statements.length }, () => 'a connection')];
}

test('an integration at rest polls Journey, and makes no statement of its own', async () => {
  world.start((config) => proxy.through(config));
  await insertRegion(world, 'A');
  await world.waitUntilEqual();
  const { reading: pool } = world.databases.get(environment, dataSource);
  const countPolls = () => proxy.calls.filter((call) => call === 'GET oplog.json').length;
  const pollTwentyTimes = async () => {
    const before = countPolls();
    await waitUntil(async () => countPolls() >= before + 20);
  };
  await vi.waitFor(
    async () => {
      const statements = await collectStatements(pool, pollTwentyTimes);
      expect(statements.length).toBeGreaterThan(0);
      expect(statements.filter((statement) => !isShared(statement))).toEqual([]);
    },
    { timeout: 90_000 },
  );
});
