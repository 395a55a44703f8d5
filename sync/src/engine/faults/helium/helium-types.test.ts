/**
 * Helium's types that Journey has under another name, and numbers with more digits than Journey
 * holds.
 */
import { randomUUID } from 'node:crypto';
import { findTestVersions } from '@portal/kit/postgres/test-versions';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { waitUntil } from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';
import { intentsUnderWay } from '../../testing/world-rows.fixture.ts';

const schemaXml = `<?xml version="1.0" encoding="UTF-8"?>
<data-model>
  <model name="plot" label="Plot">
    <field name="name" label="Name" type="text"/>
    <field name="latitude" label="Latitude" type="number"/>
    <field name="price" label="Price" type="number"/>
    <field name="moisture" label="Moisture" type="number"/>
    <field name="rows" label="Rows" type="number"/>
    <field name="rank" label="Rank" type="integer"/>
    <field name="bags" label="Bags" type="integer"/>
    <field name="serial" label="Serial" type="integer"/>
    <field name="seen_at" label="Seen at" type="datetime"/>
    <field name="code" label="Code" type="text"/>
    <field name="email" label="E-mail" type="text"/>
    <field name="index" label="Index" type="integer"/>
    <field name="value" label="Value" type="number"/>
    <field name="key" label="Key" type="text"/>
    <field name="time" label="Time" type="datetime"/>
    <field name="timestamp" label="Timestamp" type="datetime"/>
    <field name="order" label="Order" type="integer"/>
    <display>{name}</display>
  </model>
  <model name="user" label="User"><field name="name" label="Name" type="text"/><display>{name}</display></model>
</data-model>
`;
const columns = [
  'name varchar(64)',
  'latitude numeric',
  'price numeric(12,2)',
  'moisture real',
  'rows integer',
  'rank smallint',
  'bags numeric(18)',
  'serial bigint',
  'seen_at timestamptz',
  'code char(6)',
  'email text',
  // Keywords of SQL; the last one is reserved.
  '"index" integer',
  '"value" numeric',
  '"key" text',
  '"time" timestamp',
  '"timestamp" timestamp',
  '"order" integer',
] as const;
const values = {
  name: 'North',
  latitude: -28.322834567890123,
  price: 12.5,
  moisture: 0.1,
  rows: 3,
  rank: -32768,
  bags: 9007199254740991,
  serial: -9007199254740991,
  seen_at: '2026-01-02T03:04:05Z',
  code: 'ab',
  email: 'A@example.com',
  index: 7,
  value: 0.25,
  key: 'K1',
  time: '2026-01-02T03:04:05Z',
  timestamp: '2026-03-04T05:06:07Z',
  order: 2,
};

async function startWorld(serverUrl?: string): Promise<SyncWorld> {
  const world = await createSyncWorld({
    tables: { plot: columns },
    sql: `create extension if not exists citext schema public; alter table plot alter email type public.citext;
      create extension if not exists "uuid-ossp" schema public;
      alter table plot add column barcode uuid not null default public.uuid_generate_v4();`,
    schemaXml,
    ...(serverUrl !== undefined && { serverUrl }),
  });
  onTestFinished(() => world.stop());
  world.startWithRestarts();
  await waitUntil(() => world.figures().heliumSyncStatus === 'Live');
  return world;
}

const put = (world: SyncWorld, id: string, fields: object) =>
  world.edit({ method: 'put', object: { type: 'plot', id, ...fields } });
const patch = (world: SyncWorld, id: string, fields: object) =>
  world.edit({ method: 'patch', object: { type: 'plot', id, ...fields } });
const insert = (world: SyncWorld, id: string, fields: Readonly<Record<string, unknown>>) =>
  world.sql(
    `insert into $s.plot (_id_, _tstamp_, ${Object.keys(fields).map(pg.escapeIdentifier).join(', ')})
     values ($1, now(), ${Object.keys(fields).map((_, index) => `$${index + 2}`)})`,
    [id, ...Object.values(fields)],
  );
async function readRow(world: SyncWorld, id: string): Promise<Record<string, unknown>> {
  const texts = columns.map((column) => column.split(' ')[0]).map((name) => `${name}::text`);
  const { rows } = await world.sql(`select ${texts.join(', ')} from $s.plot where _id_ = $1`, [id]);
  return rows[0] ?? {};
}
async function waitUntilIdle(world: SyncWorld): Promise<void> {
  await waitUntil(async () => {
    const { rows } = await world.sql(
      `select (select count(*) from ${intentsUnderWay}) + (select count(*) from __portal_sync__.dirty) = 0
         and (select max(seq) from $s.__he_sync_obj_change__) = (select change_log_cursor from __portal_sync__.run) as idle`,
    );
    return rows[0]?.idle === true;
  });
}
const readJourney = async (world: SyncWorld, id: string) => (await world.journeyRows())[`plot/${id}`];

describe.each(findTestVersions().map((version) => ({ version, name: version.name })))(
  'on PostgreSQL $name',
  ({ version }) => {
    test('syncs every type with a counterpart exactly, in both directions', async () => {
      const server = await version.startExclusive({ timezone: 'Africa/Johannesburg' });
      onTestFinished(() => server.stop());
      const world = await startWorld(server.url);
      const [heliumId, journeyId] = [randomUUID(), randomUUID()];
      await insert(world, heliumId, values);
      await put(world, journeyId, values);
      await waitUntil(async () => (await readJourney(world, heliumId)) !== undefined);
      await waitUntil(async () => (await readRow(world, journeyId)).name === 'North');
      expect(await readJourney(world, heliumId)).toEqual(values);
      expect(await readRow(world, journeyId)).toEqual(await readRow(world, heliumId));
      await waitUntilIdle(world);
      // Helium fills what only Helium has.
      const { rows: filled } = await world.sql('select count(distinct barcode)::int as count from $s.plot');
      expect(filled).toEqual([{ count: 2 }]);
      expect(world.figures().mappingWarnings.count).toBe(0);
      // Nothing is written back.
      const { rows } = await world.sql('select count(*)::int as changes from $s.__he_sync_obj_change__');
      expect(rows).toEqual([{ changes: 2 }]);
      expect(await world.held()).toEqual([]);
    });
  },
);

describe('a decimal with more digits than Journey holds', () => {
  test('is rounded in Journey, counted, and keeps its digits in Helium', async () => {
    const world = await startWorld();
    const id = randomUUID();
    const latitude = '28.322834567890123456';
    await insert(world, id, { name: 'before', latitude });
    await waitUntil(() => world.figures().rounded === 1);
    expect(await readJourney(world, id)).toMatchObject({ latitude: 28.322834567890123 });
    await patch(world, id, { name: 'patched' });
    await waitUntil(async () => (await readRow(world, id)).name === 'patched');
    expect(await readRow(world, id)).toMatchObject({ latitude });
    await put(world, id, { name: 'put', latitude: 28.322834567890123 });
    await waitUntil(async () => (await readRow(world, id)).name === 'put');
    expect(await readRow(world, id)).toMatchObject({ latitude });
    expect(world.figures().rounded).toBe(1);
    await patch(world, id, { latitude: 28.5 });
    await waitUntil(() => world.figures().rounded === 0);
    expect(await readRow(world, id)).toMatchObject({ latitude: '28.5' });
  });

  test.each([
    ['latitude', '12345678901234567890.12'],
    ['latitude', 'NaN'],
    ['bags', '9007199254740993'],
    ['serial', '9007199254740993'],
  ])('holds its record with a reason where it would be another number: %s %s', async (column, value) => {
    const world = await startWorld();
    const id = randomUUID();
    await insert(world, id, { name: 'before' });
    await waitUntil(async () => (await readJourney(world, id)) !== undefined);
    await world.sql(`update $s.plot set ${column} = $2 where _id_ = $1`, [id, value]);
    await waitUntil(() => world.figures().deadLetters === 1);
    expect(await world.held()).toMatchObject([
      { state: 'dead', direction: 'helium-to-journey', reason: expect.stringContaining(`plot.${column}: ${value}`) },
    ]);
    expect(await readJourney(world, id)).toMatchObject({ name: 'before', [column]: null });
    expect(world.figures().rounded).toBe(0);
  });
});
