/**
 * Columns, fields, choices and relations that vanish and return, or are added with a default: what
 * one side no longer has because of that is unknown, not cleared.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createOperations } from '../../../operations/operations.ts';
import { expectNoEcho, findInJourney, waitForLog, waitUntil } from '../../testing/fault-steps.fixture.ts';
import type { RestartingRun } from '../../testing/restarting-run.fixture.ts';
import { quickRateLimiter } from '../../testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld, worldSchemaXml, worldTables } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;
let restartingRun: RestartingRun;

afterEach(() => world.stop());

const count = 30;

async function startWorld(options?: Parameters<typeof createSyncWorld>[0]): Promise<void> {
  world = await createSyncWorld(options);
  await world.sql(
    `insert into $s.region (_id_, _tstamp_, name, code)
     select gen_random_uuid(), now() - interval '1 hour', 'region ' || no, no from generate_series(1, $1::int) no`,
    [count],
  );
  restartingRun = world.startWithRestarts();
  await world.waitUntilEqual();
}

/** An operator saves the integration. */
async function save(): Promise<void> {
  await restartingRun.stop();
  Object.assign(world.integration, { configVersion: world.integration.configVersion + 1 });
  restartingRun = world.startWithRestarts();
}

const countCodes = async () => {
  const [helium, journey] = [Object.entries(await world.heliumRows()), Object.entries(await world.journeyRows())];
  const withCode = (rows: typeof helium) =>
    rows.filter(([key, { code }]) => key.startsWith('region/') && code != null).length;
  return { helium: withCode(helium), journey: withCode(journey) };
};

const isPaused = (table: string) => waitForLog(world, new RegExp(`SEVERE ${table} is paused`));

describe('a column of Helium', () => {
  beforeEach(() => startWorld());

  const dropColumn = 'alter table $s.region drop column code';
  const addColumn = 'alter table $s.region add column code integer unique';

  test.each(['without a save', 'with a save'])(
    'that is dropped and added again gets its values back from Journey, %s',
    async (how) => {
      await world.sql(dropColumn);
      await isPaused('region');
      await world.sql(addColumn);
      if (how === 'with a save') await save();
      await waitUntil(async () => (await countCodes()).helium === count);
      await world.waitUntilEqual();
      expect(await countCodes()).toEqual({ helium: count, journey: count });
      expect(await world.conflicts()).toEqual([]);
    },
  );

  test('that is replaced between two checks of the catalog gets its values back although its rows are edited', async () => {
    await world.sql(
      `begin; ${dropColumn}; ${addColumn}; update $s.region set name = name || '!', _tstamp_ = now(); commit`,
    );
    await waitUntil(async () => (await countCodes()).helium === count);
    await world.waitUntilEqual();
    expect(await countCodes()).toEqual({ helium: count, journey: count });
    expect(await world.conflicts()).toEqual([]);
    const names = Object.values(await world.journeyRows()).map(({ name }) => String(name));
    expect(names.filter((name) => name.endsWith('!'))).toHaveLength(count);
  });

  test('that returns with values of its own keeps them, and both values are listed where they differ', async () => {
    await world.sql(
      `begin; ${dropColumn}; ${addColumn};
       update $s.region set code = 1000, _tstamp_ = now() where name = 'region 1'; commit`,
    );
    await waitUntil(async () => (await countCodes()).helium === count);
    await world.waitUntilEqual();
    expect(await world.conflicts()).toMatchObject([{ column: 'code', helium: 1000, journey: 1 }]);
  });
});

test('a relation that is dropped in Helium and added again gets its references back from Journey', async () => {
  await startWorld();
  await world.sql(
    `insert into $s.farmer (_id_, _tstamp_, name, region_fk)
     select gen_random_uuid(), now(), name, _id_ from $s.region`,
  );
  await world.waitUntilEqual();
  await world.sql('alter table $s.farmer drop column region_fk');
  await isPaused('farmer');
  await world.sql('alter table $s.farmer add column region_fk uuid references $s.region on delete set null');
  const countReferences = async () =>
    (await world.sql('select count(region_fk)::int as count from $s.farmer')).rows[0].count;
  await waitUntil(async () => (await countReferences()) === count);
  await world.waitUntilEqual();
  expect(await world.conflicts()).toEqual([]);
});

describe('a field of Journey', () => {
  beforeEach(() => startWorld());

  const code = '<field name="code" label="Code" type="integer"/>';

  test.each(['without a save', 'with a save'])(
    'that vanishes with its values and returns gets them back from Helium, %s',
    async (how) => {
      await world.deployment.deploy(worldSchemaXml.replace(code, ''));
      await isPaused('region');
      await world.journeySql(`update object set contents = contents - 'code' where type = 'region'`);
      await world.deployment.deploy(worldSchemaXml);
      if (how === 'with a save') await save();
      await waitUntil(async () => (await countCodes()).journey === count);
      await world.waitUntilEqual();
      expect(await countCodes()).toEqual({ helium: count, journey: count });
      expect(await world.conflicts()).toEqual([]);
    },
  );

  test('that vanishes with its values and returns between two reads of the model clears nothing without a question', async () => {
    await restartingRun.stop();
    await world.deployment.deploy(worldSchemaXml.replace(code, ''));
    await world.journeySql(`update object set contents = contents - 'code' where type = 'region'`);
    await world.deployment.deploy(worldSchemaXml);
    const run = world.start();
    const [id] = (await world.sql(`select _id_::text as id from $s.region where code = 1`)).rows.map(({ id }) => id);
    await world.edit({ method: 'patch', object: { type: 'region', id, name: 'edited' } });
    expect(await run.ended).toMatchObject({ outcome: 'halted' });
    expect(await createOperations(world.databases, quickRateLimiter()).readQuestion(world.integration)).toMatchObject({
      kind: 'clearings',
      side: 'helium',
      columns: [{ column: 'code', known: count, absent: count }],
    });
    expect(await countCodes()).toEqual({ helium: count, journey: 0 });
  });

  test('that a device clears after a deployment is cleared in Helium, once its table was read again', async () => {
    await world.deployment.deploy(worldSchemaXml);
    const ids = (await world.sql(`select _id_::text as id from $s.region where code <= 2 order by code`)).rows;
    for (const { id } of ids) {
      await world.edit({ method: 'patch', object: { type: 'region', id, code: null } });
      await waitUntil(async () => (await world.heliumRows())[`region/${id}`]?.code === null);
    }
    await world.waitUntilEqual();
    expect(world.log.filter((line) => line.includes('is read again before its fields'))).toHaveLength(1);
  });

  test('that returns with another type keeps what Helium has', async () => {
    const text = '<field name="code" label="Code" type="text"/>';
    await world.deployment.deploy(worldSchemaXml.replace(code, text));
    await isPaused('region');
    await world.sql('alter table $s.region alter column code type text using code::text');
    await save();
    await waitUntil(async () => (await countCodes()).journey === count);
    await world.waitUntilEqual();
    expect(await countCodes()).toEqual({ helium: count, journey: count });
  });
});

test('a choice that Journey deletes stays in Helium, and each record that has it waits for a decision', async () => {
  const field = '<field name="crop" label="Crop" type="single-choice">';
  const tea = '<option key="tea">Tea</option>';
  const crops = worldSchemaXml.replace(
    '<field name="name" label="Name" type="text"/>',
    `<field name="name" label="Name" type="text"/>${field}${tea}<option key="maize">Maize</option></field>`,
  );
  world = await createSyncWorld({
    tables: { ...worldTables, region: [...worldTables.region, 'crop text'] },
    schemaXml: crops,
  });
  await world.sql(
    `insert into $s.region (_id_, _tstamp_, name, crop)
     select gen_random_uuid(), now(), no, case when no % 3 = 0 then 'maize' else 'tea' end from generate_series(1, $1::int) no`,
    [count],
  );
  restartingRun = world.startWithRestarts();
  await world.waitUntilEqual();
  await world.deployment.deploy(crops.replace(tea, ''));
  await isPaused('region');
  await save();
  const countTea = async () =>
    (await world.sql(`select count(*)::int as count from $s.region where crop = 'tea'`)).rows[0].count;
  await waitUntil(async () => (await world.held()).length === 20);
  expect(await countTea()).toBe(20);
  // The other choice still travels.
  const id = randomUUID();
  await world.sql(`insert into $s.region (_id_, _tstamp_, name, crop) values ($1, now(), 'new', 'maize')`, [id]);
  await waitUntil(async () => (await findInJourney(world, 'region', id)) !== null);
  expect(await countTea()).toBe(20);
  // It is allowed again, and the operator retries.
  await world.deployment.deploy(crops);
  await save();
  await world.sql(`update $s.region set name = name || '!' where crop = 'tea'`);
  await world.waitUntilEqual();
  expect(await countTea()).toBe(20);
});

const withRank = () =>
  createSyncWorld({
    schemaXml: worldSchemaXml.replace(
      '<field name="code" label="Code" type="integer"/>',
      '<field name="code" label="Code" type="integer"/><field name="rank" label="Rank" type="integer"/>',
    ),
  });

test('a default that no one typed is no edit: a column that is added with one gets the values that Journey has', async () => {
  world = await withRank();
  const ids = Array.from({ length: 5 }, () => randomUUID());
  await world.edit(
    ...ids.map((id, index) => ({
      method: 'put' as const,
      object: { type: 'region', id, name: `region ${index}`, rank: 10 * (index + 1) },
    })),
  );
  restartingRun = world.startWithRestarts();
  await world.waitUntilEqual();
  const emptyId = randomUUID();
  await world.sql(`insert into $s.region (_id_, _tstamp_, name) values ($1, now(), 'without')`, [emptyId]);
  await world.waitUntilEqual();
  await world.sql('alter table $s.region add column rank integer not null default 0');
  const readRanks = async () =>
    Object.fromEntries(
      (await world.sql('select _id_::text as id, rank from $s.region')).rows.map((row) => [row.id, row.rank]),
    );
  const expected = { ...Object.fromEntries(ids.map((id, index) => [id, 10 * (index + 1)])), [emptyId]: 0 };
  await waitForLog(world, /INFO The data model has changed: region\.rank/);
  await waitUntil(async () => (await findInJourney(world, 'region', emptyId))?.rank === 0);
  expect(await readRanks()).toEqual(expected);
  await expectNoEcho(world);
  expect(await readRanks()).toEqual(expected);
  expect(await world.conflicts()).toEqual([]);
});

test('a row that is to be sent waits until the value that Journey has in a new column was read', async () => {
  world = await withRank();
  const id = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id, name: 'region', rank: 10 } });
  restartingRun = world.startWithRestarts();
  await world.waitUntilEqual();
  await restartingRun.stop();
  await world.sql('alter table $s.region add column rank integer');
  await world.sql('update $s.region set rank = 3, _tstamp_ = now() where _id_ = $1', [id]);
  await world.sql(
    `insert into __portal_sync__.dirty (state_id, table_name, id) select state_id, 'region', $1 from __portal_sync__.run`,
    [id],
  );
  world.startWithRestarts();
  await waitUntil(async () => (await world.conflicts()).length > 0);
  expect(await world.conflicts()).toMatchObject([{ column: 'rank', helium: 3, journey: 10 }]);
});

test('a value that Journey lost unseen is listed when a full read clears it in Helium', async () => {
  await startWorld();
  await restartingRun.stop();
  await world.journeySql(`update object set contents = contents - 'name' where contents->>'name' = 'region 1'`);
  const field = '<field name="rank" label="Rank" type="integer"/>';
  await world.sql('alter table $s.region add column rank integer');
  await world.deployment.deploy(worldSchemaXml.replace('<field name="code"', `${field}<field name="code"`));
  world.startWithRestarts();
  await waitUntil(async () => (await world.conflicts()).length > 0);
  expect(await world.conflicts()).toMatchObject([{ column: 'name', helium: 'region 1', journey: null }]);
});
