/**
 * PostgreSQL disconnects, becomes read-only, and commits in every order; transactions stay open.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { toIntegrationResponse } from '../../../api/integration-response.ts';
import { schema } from '../../../helium/helium-gateway.fixture.ts';
import { editBothSides, expectAtRest, regionFields, waitUntil } from '../../testing/fault-steps.fixture.ts';
import type { RestartingRun } from '../../testing/restarting-run.fixture.ts';
import { createSyncWorld, isSoak, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;
let restartingRun: RestartingRun;

beforeAll(async () => {
  world = await createSyncWorld();
  restartingRun = world.startWithRestarts();
  await world.waitUntilEqual();
});
beforeEach(() => world.waitUntilEqual());
afterAll(() => world.stop());

/** Terminates the engine's connections, whatever they are doing. */
const terminateConnections = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name like 'portal-sync%' and datname = current_database()`;

const insert = `insert into ${schema}.region (_id_, _tstamp_, name) values ($1, now(), $2)`;

test('recovers without loss when connections are terminated repeatedly', async () => {
  const expected: Record<string, object> = {};
  for (let round = 0; round < 8; round += 1) {
    Object.assign(expected, await editBothSides(world, `ended ${round}`));
    await waitUntil(async () => (await world.sql(terminateConnections)).rowCount);
  }
  await world.waitUntilEqual();
  expect(await world.heliumRows()).toMatchObject(expected);
  expect(restartingRun.interruptions.length).toBeGreaterThan(0);
  expect(restartingRun.failures).toEqual([]);
  await expectAtRest(world, {});
  expect(await world.conflicts()).toEqual([]);
});

test('treats a read-only database as an outage, and waits for it', async () => {
  const session = await world.helium.connect();
  const database = new URL(world.helium.url).pathname.slice(1);
  await session.query(`alter database ${database} set default_transaction_read_only = on`);
  await session.query(terminateConnections);
  const journeyId = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id: journeyId, name: 'while read-only' } });
  await waitUntil(() =>
    restartingRun.interruptions.includes('The database accepts no changes at the moment (it is read-only).'),
  );
  await session.query('set default_transaction_read_only = off');
  // The engine's sessions stay read-only, as long as they exist.
  await session.query(`alter database ${database} set default_transaction_read_only = off`);
  await session.end();
  await expectAtRest(world, { [`region/${journeyId}`]: regionFields('while read-only') });
});

test('neither loses nor waits forever for numbers committed late or rolled back', async () => {
  const [lateId, rolledBackId, earlyId] = [randomUUID(), randomUUID(), randomUUID()];
  const [writer, other] = [await world.helium.connect(), await world.helium.connect()];
  await writer.query('begin');
  await writer.query(insert, [lateId, 'drawn first']);
  await other.query('begin');
  await other.query(insert, [rolledBackId, 'rolled back']);
  await world.sql(insert, [earlyId, 'committed first']);
  // Only a reader that goes by numbers alone would sync it now.
  await waitUntil(() => world.figures().horizonHolder?.pid);
  const sinceMs = Date.parse(world.figures().horizonHolder?.since ?? '');
  const { rows } = await writer.query<{ at: Date }>('select now() as at');
  expect(Math.abs(sinceMs - Number(rows[0]?.at))).toBeLessThanOrEqual(1);
  // However long ago it was found.
  const shown = toIntegrationResponse({ ...world.integration, figures: world.figures() }, sinceMs + 3_600_000);
  expect(shown.horizonHeldBy).toMatch(/^held 3600 s by pid \d+ /);
  if (isSoak) await pause(60_000);
  expect(await world.journeyRows()).not.toHaveProperty(`region/${earlyId}`);
  await other.query('rollback');
  await writer.query('commit');
  await expectAtRest(world, {
    [`region/${lateId}`]: regionFields('drawn first'),
    [`region/${earlyId}`]: regionFields('committed first'),
  });
  expect(await world.heliumRows()).not.toHaveProperty(`region/${rolledBackId}`);
  await waitUntil(() => world.figures().horizonHolder === null);
  await Promise.all([writer.end(), other.end()]);
}, 300_000);

test('keeps syncing during a long transaction that writes other tables', async () => {
  await world.sql('create table if not exists public.unrelated (at int)');
  const writer = await world.helium.connect();
  await writer.query('begin');
  await writer.query('insert into public.unrelated values (1)');
  await writer.query('select txid_current()');
  await expectAtRest(world, await editBothSides(world, 'unrelated'));
  expect(world.figures().horizonHolder).toBeNull();
  await writer.query('rollback');
  await writer.end();
});

test('syncs 20,000 rows of one transaction, each written once', async () => {
  const count = 20_000;
  const { api } = await world.deployment.writes();
  await world.sql(
    `insert into $s.visit (_id_, _tstamp_, note, hectares) select gen_random_uuid(), now(), 'visit ' || no, no / 2.0 from generate_series(1, $1) no`,
    [count],
  );
  await waitUntil(async () => (await world.deployment.writes()).api - api === count);
  await expectAtRest(world, {});
  expect((await world.deployment.writes()).api - api).toBe(count);
}, 240_000);
