/**
 * Columns that are added or replaced where only one direction is synced, or while a batch is under
 * way: what no one has entered replaces nothing.
 */
import { randomUUID } from 'node:crypto';
import type { SyncConfig } from '@portal/contract/sync/config';
import { afterEach, describe, expect, test } from 'vitest';
import { findInJourney, insertRegion, waitForLog, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { startResponseProxy } from '../../testing/response-proxy.fixture.ts';
import { createSyncWorld, type SyncWorld, worldSchemaXml } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;
afterEach(() => world.stop());

const onlyToJourney = (config: SyncConfig): SyncConfig => ({ ...config, enableJourneyToHelium: false });
const onlyToHelium = (config: SyncConfig): SyncConfig => ({ ...config, enableHeliumToJourney: false });

describe('a column that is added with a default', () => {
  const rank = '<field name="rank" label="Rank" type="integer"/>';
  const schemaXml = worldSchemaXml.replace('<field name="code"', `${rank}<field name="code"`);

  /** Returns ids of regions of which Journey has the rank 10, 20 and none. */
  async function startWithRanks(): Promise<readonly [string, string, string]> {
    world = await createSyncWorld({ schemaXml });
    const ids = [randomUUID(), randomUUID(), randomUUID()] as const;
    await world.edit(
      ...ids.map((id, index) => ({
        method: 'put' as const,
        object: { type: 'region', id, name: `region ${index}`, ...(index < 2 && { rank: 10 * (index + 1) }) },
      })),
    );
    const run = world.startWithRestarts();
    await world.waitUntilEqual();
    await run.stop();
    return ids;
  }
  const addColumn = () => world.sql('alter table $s.region add column rank integer not null default 0');
  const inJourney = (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await findInJourney(world, 'region', id))?.rank ?? null));
  const inHelium = async (ids: readonly string[]) => {
    const rows = await world.heliumRows();
    const ranks = await world.sql('select _id_::text as id, rank from $s.region');
    const byId = new Map(ranks.rows.map(({ id, rank }) => [id, rank]));
    return ids.map((id) => (`region/${id}` in rows ? byId.get(id) : undefined));
  };

  test('leaves what Journey has where only Helium is read, until a user enters something', async () => {
    const ids = await startWithRanks();
    await addColumn();
    world.startWithRestarts(onlyToJourney);
    await waitUntil(async () => (await inJourney(ids))[2] === 0);
    await waitForLog(world, /Helium → Journey: full read complete/);
    expect(await inJourney(ids)).toEqual([10, 20, 0]);
    expect(await world.conflicts()).toEqual([]);
    await world.sql('update $s.region set rank = 7, _tstamp_ = now() where _id_ = $1', [ids[0]]);
    await world.sql(`update $s.region set name = 'renamed', _tstamp_ = now() where _id_ = $1`, [ids[1]]);
    await waitUntil(async () => (await findInJourney(world, 'region', ids[1]))?.name === 'renamed');
    expect(await inJourney(ids)).toEqual([7, 20, 0]);
  });

  test('gets what Journey has where only Journey is read', async () => {
    const ids = await startWithRanks();
    await addColumn();
    world.startWithRestarts(onlyToHelium);
    await waitUntil(async () => (await inHelium(ids))[1] === 20);
    expect(await inHelium(ids)).toEqual([10, 20, 0]);
    expect(await world.conflicts()).toEqual([]);
  });
});

test.each([
  ['both directions are synced', (config: SyncConfig) => config, 31],
  ['only Helium is read', onlyToJourney, 0],
] as const)(
  'a column that is replaced while a batch is under way keeps its values in Journey, if %s',
  async (_how, change, inHelium) => {
    world = await createSyncWorld();
    await world.sql(
      `insert into $s.region (_id_, _tstamp_, name, code)
     select gen_random_uuid(), now() - interval '1 hour', 'region ' || no, no from generate_series(1, 30) no`,
    );
    const first = world.startWithRestarts();
    await world.waitUntilEqual();
    await first.stop();
    const countFullReads = () => world.log.filter((line) => line.includes('full read complete')).length;
    const fullReads = countFullReads();
    const proxy = await startResponseProxy(world);
    world.startWithRestarts((config) => proxy.through(change(config)));
    // Where the other direction is off now, everything is read once.
    if (inHelium === 0) await waitUntil(() => countFullReads() > fullReads);
    const readBefore = countFullReads();
    const batch = proxy.hold((path) => path.includes('batch'));
    await world.sql(`update $s.region set name = 'edited', _tstamp_ = now() where code = 1`);
    const created = await insertRegion(world, 'created', 99);
    await batch.held;
    await world.sql(
      `begin; alter table $s.region drop column code; alter table $s.region add column code integer; commit`,
    );
    const isForgotten = async () =>
      (await world.sql(`select from __portal_sync__.record where journey::jsonb ? 'code'`)).rowCount === 0;
    await waitUntil(isForgotten);
    batch.release();
    const readCodes = async () => Object.values(await world.journeyRows()).map(({ code }) => code);
    await waitUntil(() => countFullReads() > readBefore);
    await waitUntil(async () => (await findInJourney(world, 'region', created))?.name === 'created');
    await waitUntil(
      async () => Number((await world.sql('select count(code)::int from $s.region')).rows[0].count) === inHelium,
    );
    // Whatever is sent afterwards does not clear them either.
    await world.sql(`update $s.region set name = name || '!', _tstamp_ = now()`);
    await waitUntil(async () =>
      Object.values(await world.journeyRows()).every(({ name }) => String(name).endsWith('!')),
    );
    expect((await readCodes()).filter((code) => code != null)).toHaveLength(31);
    expect(await world.conflicts()).toEqual([]);
    await world.stopRuns();
    await proxy.stop();
  },
);
