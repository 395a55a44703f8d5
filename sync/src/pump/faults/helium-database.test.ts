/**
 * PostgreSQL goes, comes, and is written to in every order; transactions stay open, or are
 * prepared.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { schema } from '../../helium/helium-end.fixture.ts';
import type { KeptRun } from '../testing/kept-run.fixture.ts';
import { createSyncWorld, isWhole, type SyncWorld } from '../testing/sync-world.fixture.ts';
import { editBoth, expectAtRest, insertRegion, regionOf, until } from './fault-steps.fixture.ts';

let world: SyncWorld;
let kept: KeptRun;

beforeAll(async () => {
  world = await createSyncWorld();
  kept = world.keep();
  await world.untilEqual();
});
beforeEach(() => world.untilEqual());
afterAll(() => world.stop());

/** Connections of the engine, in the midst of whatever they are doing. */
const endAll = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = 'portal-sync' and datname = current_database()`;

const insert = `insert into ${schema}.region (_id_, _tstamp_, name) values ($1, now(), $2)`;

test('connections are ended again and again: it is begun again, and nothing is lost', async () => {
  const expected: Record<string, object> = {};
  for (let round = 0; round < 8; round += 1) {
    Object.assign(expected, await editBoth(world, `ended ${round}`));
    await until(async () => (await world.sql(endAll)).rowCount);
  }
  await world.untilEqual();
  expect(await world.heliumRows()).toMatchObject(expected);
  expect(kept.interruptions.length).toBeGreaterThan(0);
  expect(kept.failures).toEqual([]);
  await expectAtRest(world, {});
  expect(await world.conflicts()).toEqual([]);
});

test('a database that takes no writes for a while is waited for as an outage', async () => {
  const session = await world.helium.connect();
  const database = new URL(world.helium.url).pathname.slice(1);
  await session.query(`alter database ${database} set default_transaction_read_only = on`);
  await session.query(endAll);
  const there = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id: there, name: 'while read-only' } });
  await until(() => kept.interruptions.includes('The database takes no writes for now.'));
  await session.query('set default_transaction_read_only = off');
  await session.query(`alter database ${database} set default_transaction_read_only = off`);
  await session.query(endAll);
  await session.end();
  await expectAtRest(world, { [`region/${there}`]: regionOf('while read-only') });
});

test('numbers committed late, and numbers rolled back, are neither lost nor waited for ever', async () => {
  const [late, gone, soon] = [randomUUID(), randomUUID(), randomUUID()];
  const [writer, other] = [await world.helium.connect(), await world.helium.connect()];
  await writer.query('begin');
  await writer.query(insert, [late, 'drawn first']);
  await other.query('begin');
  await other.query(insert, [gone, 'rolled back']);
  await world.sql(insert, [soon, 'committed first']);
  // Only a reader that goes by numbers would carry it now.
  await until(() => world.figures().horizonHeldBy?.startsWith('held '));
  expect(world.figures().horizonHeldBy).toMatch(/pid \d+/);
  if (isWhole) await pause(60_000);
  expect(await world.journeyRows()).not.toHaveProperty(`region/${soon}`);
  await other.query('rollback');
  await writer.query('commit');
  await expectAtRest(world, {
    [`region/${late}`]: regionOf('drawn first'),
    [`region/${soon}`]: regionOf('committed first'),
  });
  expect(await world.heliumRows()).not.toHaveProperty(`region/${gone}`);
  await until(() => world.figures().horizonHeldBy === null);
  await Promise.all([writer.end(), other.end()]);
}, 300_000);

test('a long transaction that writes something else holds nobody up', async () => {
  await world.sql('create table if not exists public.unrelated (at int)');
  const writer = await world.helium.connect();
  await writer.query('begin');
  await writer.query('insert into public.unrelated values (1)');
  await writer.query('select txid_current()');
  await expectAtRest(world, await editBoth(world, 'unrelated'));
  expect(world.figures().horizonHeldBy).toBeNull();
  await writer.query('rollback');
  await writer.end();
});

test('a row that an open transaction holds is waited for, and merged with what that writes', async () => {
  const id = await insertRegion(world, 'held');
  await world.untilEqual();
  const writer = await world.helium.connect();
  await writer.query('begin');
  await writer.query(`update ${schema}.region set name = 'by the writer' where _id_ = $1`, [id]);
  await world.edit({ method: 'patch', object: { type: 'region', id, code: 5 } });
  await until(
    async () =>
      (
        await world.sql(
          `select from pg_stat_activity where application_name = 'portal-sync' and wait_event_type = 'Lock' and datname = current_database()`,
        )
      ).rowCount,
  );
  await writer.query('commit');
  await writer.end();
  await expectAtRest(world, { [`region/${id}`]: regionOf('by the writer', 5) });
  expect(await world.conflicts()).toEqual([]);
});

test('20,000 rows of one transaction arrive, each written once', async () => {
  const many = 20_000;
  const { api } = await world.deployment.writes();
  await world.sql(
    `insert into $s.visit (_id_, _tstamp_, note, hectares) select gen_random_uuid(), now(), 'visit ' || no, no / 2.0 from generate_series(1, $1) no`,
    [many],
  );
  await until(async () => (await world.deployment.writes()).api - api === many);
  await expectAtRest(world, {});
  expect((await world.deployment.writes()).api - api).toBe(many);
}, 240_000);
