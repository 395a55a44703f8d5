/** A conflict keeps the values of both sides, whatever happens to the record. */
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { readCounts } from '../../../sync-state/counts.store.ts';
import { expectAtRest, insertRegion, renameRegion } from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;

afterEach(() => world.stop());

test('keeps the columns and fields that are not mapped of a record that is deleted', async () => {
  world = await createSyncWorld({
    tables: { region: ['name text', 'code integer', 'memo text', 'picture bytea'] },
    sql: '',
    schemaXml: `<?xml version="1.0" encoding="UTF-8"?>
<data-model>
  <model name="region" label="Region">
    <field name="name" label="Name" type="text"/>
    <field name="code" label="Code" type="integer"/>
    <field name="remark" label="Remark" type="text"/>
    <display>{name}</display>
  </model>
  <model name="user" label="User"><field name="name" label="Name" type="text"/><display>{name}</display></model>
</data-model>
`,
  });
  const run = world.start();
  const [deletedInJourney, deletedInHelium] = [
    await insertRegion(world, 'first', 1),
    await insertRegion(world, 'second', 2),
  ];
  await expect.poll(async () => Object.keys(await world.journeyRows()), { timeout: 60_000 }).toHaveLength(2);
  await run.stop();

  await world.sql(
    `update $s.region set name = 'edited', memo = 'only in Helium', picture = '\\x00ff',
       _tstamp_ = timezone('UTC', now()) - interval '1 hour' where _id_ = $1`,
    [deletedInJourney],
  );
  await world.edit({ method: 'delete', object: { type: 'region', id: deletedInJourney } });
  await world.sql('delete from $s.region where _id_ = $1', [deletedInHelium]);
  world.deployment.setClockSkew(-3_600_000);
  await world.edit({
    method: 'patch',
    object: { type: 'region', id: deletedInHelium, code: 3, remark: 'only in Journey' },
  });
  world.deployment.setClockSkew(0);
  world.start();
  await expect.poll(() => world.conflicts(), { timeout: 60_000 }).toHaveLength(2);
  const conflicts = new Map((await world.conflicts()).map((conflict) => [conflict.id, conflict]));
  expect(conflicts.get(deletedInJourney)).toMatchObject({ column: null, journey: null, winner: 'journey' });
  expect(conflicts.get(deletedInJourney)?.helium).toEqual({
    name: 'edited',
    code: 1,
    memo: 'only in Helium',
    _tstamp_: expect.any(String),
  });
  expect(conflicts.get(deletedInHelium)).toMatchObject({
    column: null,
    helium: null,
    journey: { name: 'second', code: 3, remark: 'only in Journey' },
    winner: 'helium',
  });
});

test('keeps every conflict of a first reading', async () => {
  world = await createSyncWorld();
  const ids = Array.from({ length: 10_500 }, () => randomUUID());
  await world.sql(
    `insert into $s.region (_id_, _tstamp_, name) select id, now(), 'from Helium' from unnest($1::uuid[]) as id`,
    [ids],
  );
  for (let at = 0; at < ids.length; at += 1000)
    await world.edit(
      ...ids.slice(at, at + 1000).map((id) => ({
        method: 'put' as const,
        object: { type: 'region', id, name: 'from Journey' },
      })),
    );
  world.start((config) => ({ ...config, conflictPolicy: 'journey' }));
  await world.waitUntilEqual();
  const { rows } = await world.sql(
    `select count(distinct id)::int as records from __portal_sync__.conflict where helium = '"from Helium"'`,
  );
  expect(rows[0].records).toBe(ids.length);
  const { rows: runs } = await world.sql('select state_id from __portal_sync__.run');
  expect(await readCounts(world.helium.pool, runs[0].state_id)).toMatchObject({ conflicts: ids.length });
});

test('removes conflicts after a year, and logs how many', async () => {
  world = await createSyncWorld();
  const run = world.start();
  const id = await insertRegion(world, 'base');
  await world.waitUntilEqual();
  await run.stop();
  await world.sql(
    `insert into __portal_sync__.conflict (state_id, at, table_name, id, column_name, winner)
     select state_id, now() - interval '367 days', 'region', $1, 'name', 'helium'
     from __portal_sync__.run, generate_series(1, 3)`,
    [id],
  );
  await renameRegion(world, id, 'from Helium');
  await world.edit({ method: 'patch', object: { type: 'region', id, name: 'from Journey' } });
  world.start();
  await expectAtRest(world, {});
  expect(await world.conflicts()).toMatchObject([{ helium: 'from Helium', journey: 'from Journey' }]);
  await expect.poll(() => world.log).toContain('INFO 3 conflicts older than a year removed from the list.');
});
