/**
 * Rows that point at rows: in the wrong order, at themselves, in circles, and when what they point
 * at goes.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createSyncWorld, isWhole, type SyncWorld } from '../testing/sync-world.fixture.ts';
import { deleteRegion, expectAtRest, insertRegion, until, untilTold } from './fault-steps.fixture.ts';

let world: SyncWorld;

beforeAll(async () => {
  world = await createSyncWorld();
  world.start();
  await world.untilEqual();
});
beforeEach(() => world.untilEqual());
afterAll(() => world.stop());

const farmer = (id: string, fields: object) => ({ method: 'put' as const, object: { type: 'farmer', id, ...fields } });
const region = (id: string, name: string) => ({ method: 'put' as const, object: { type: 'region', id, name } });

test('a child that comes before its parent is parked with its reason, and woken when that comes', async () => {
  const [child, parent] = [randomUUID(), randomUUID()];
  await world.edit(farmer(child, { name: 'Child', region_id: parent }));
  await untilTold(world, new RegExp(`WARNING farmer/${child} waits`));
  await until(() => world.figures().parked === 1);
  expect(await world.held()).toMatchObject([
    { state: 'parked', table: 'farmer', id: child, missing: [`region/${parent}`], kind: 'missing parent' },
  ]);
  // Edits meanwhile queue behind it.
  await world.edit({ method: 'patch', object: { type: 'farmer', id: child, age: 7 } });
  await world.edit(region(parent, 'Parent'));
  await expectAtRest(world, { [`farmer/${child}`]: expect.objectContaining({ age: 7, region_fk: parent }) });
  expect(await world.held()).toEqual([]);
  await until(() => world.figures().parked === 0);
});

test('a parent that comes from Helium wakes its child as well', async () => {
  const [child, parent] = [randomUUID(), randomUUID()];
  await world.edit(farmer(child, { name: 'Child', region_id: parent }));
  await until(() => world.figures().parked === 1);
  await insertRegion(world, 'from Helium', null, parent);
  await expectAtRest(world, { [`farmer/${child}`]: expect.objectContaining({ region_fk: parent }) });
});

test('a chain of children that comes in the wrong order comes to life when its first parent does', async () => {
  const chain = Array.from({ length: 12 }, () => randomUUID());
  for (let at = chain.length - 1; at > 0; at -= 1)
    await world.edit(farmer(chain[at] ?? '', { name: `${at}`, friend_id: chain[at - 1] }));
  await until(() => world.figures().parked === chain.length - 1);
  await world.edit(farmer(chain[0] ?? '', { name: 'first' }));
  await expectAtRest(world, Object.fromEntries(chain.map((id) => [`farmer/${id}`, expect.anything()])));
  expect(await world.held()).toEqual([]);
});

test('who points at themselves, and who point at each other, cross both ways', async () => {
  const [self, one, other, here, there] = Array.from({ length: 5 }, () => randomUUID());
  await world.edit(
    farmer(self ?? '', { friend_id: self }),
    farmer(one ?? '', { friend_id: other }),
    farmer(other ?? '', { friend_id: one }),
  );
  await world.sql(`with made as (insert into $s.farmer (_id_, _tstamp_) values ($1, now()), ($2, now())) select 1`, [
    here,
    there,
  ]);
  await world.sql(
    `update $s.farmer set friend_fk = case _id_ when $1 then $2::uuid else $1::uuid end where _id_ in ($1, $2)`,
    [here, there],
  );
  await expectAtRest(world, {
    [`farmer/${self}`]: expect.objectContaining({ friend_fk: self }),
    [`farmer/${one}`]: expect.objectContaining({ friend_fk: other }),
    [`farmer/${other}`]: expect.objectContaining({ friend_fk: one }),
    [`farmer/${here}`]: expect.objectContaining({ friend_fk: there }),
  });
});

test('a parent deleted in Helium while Journey gives it a child: the child waits and is told of', async () => {
  const [parent, child] = [await insertRegion(world, 'Parent'), randomUUID()];
  await world.untilEqual();
  await world.deployment.device.edit(farmer(child, { name: 'Late', region_id: parent }));
  await deleteRegion(world, parent);
  await until(async () => {
    const row = (await world.heliumRows())[`farmer/${child}`];
    return world.figures().parked === 1 || row?.region_fk === null;
  });
  const [held] = await world.held();
  if (held) {
    expect(held).toMatchObject({ state: 'parked', id: child, missing: [`region/${parent}`] });
    await world.edit({ method: 'patch', object: { type: 'farmer', id: child, region_id: null } });
  }
  await expectAtRest(world, { [`farmer/${child}`]: expect.objectContaining({ region_fk: null }) });
});

test('a parent of many is deleted: what the foreign key does to them is carried over once', async () => {
  const parent = await insertRegion(world, 'of many');
  const many = isWhole ? 100_000 : 2_500;
  await world.sql(
    `insert into $s.farmer (_id_, _tstamp_, name, region_fk) select gen_random_uuid(), now(), 'one of many', $1 from generate_series(1, $2)`,
    [parent, many],
  );
  await world.untilEqual();
  const { api } = await world.deployment.writes();
  await deleteRegion(world, parent);
  await expectAtRest(world, {});
  expect(await world.deployment.writes()).toMatchObject({ api: api + many + 1 });
}, 1_200_000);
