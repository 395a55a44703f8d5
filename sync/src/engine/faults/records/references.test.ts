/**
 * Rows that reference rows: in the wrong order, themselves, in cycles, and when the referenced row
 * is deleted.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { deleteRegion, expectAtRest, insertRegion, waitForLog, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld, isSoak, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;

beforeAll(async () => {
  world = await createSyncWorld();
  world.start();
  await world.waitUntilEqual();
});
beforeEach(() => world.waitUntilEqual());
afterAll(() => world.stop());

const farmer = (id: string, fields: object) => ({ method: 'put' as const, object: { type: 'farmer', id, ...fields } });
const region = (id: string, name: string) => ({ method: 'put' as const, object: { type: 'region', id, name } });

test('parks a child that arrives before its parent with the reason, and releases it when the parent arrives', async () => {
  const [child, parent] = [randomUUID(), randomUUID()];
  await world.edit(farmer(child, { name: 'Child', region_id: parent }));
  await waitForLog(world, new RegExp(`WARNING farmer/${child} is waiting`));
  await waitUntil(() => world.figures().parked === 1);
  expect(await world.held()).toMatchObject([
    { state: 'parked', table: 'farmer', id: child, missing: [`region/${parent}`], kind: 'missing parent' },
  ]);
  // Edits in the meantime queue behind it.
  await world.edit({ method: 'patch', object: { type: 'farmer', id: child, age: 7 } });
  await world.edit(region(parent, 'Parent'));
  await expectAtRest(world, { [`farmer/${child}`]: expect.objectContaining({ age: 7, region_fk: parent }) });
  expect(await world.held()).toEqual([]);
  await waitUntil(() => world.figures().parked === 0);
});

test('releases a child when its parent arrives from Helium', async () => {
  const [child, parent] = [randomUUID(), randomUUID()];
  await world.edit(farmer(child, { name: 'Child', region_id: parent }));
  await waitUntil(() => world.figures().parked === 1);
  await insertRegion(world, 'from Helium', null, parent);
  await expectAtRest(world, { [`farmer/${child}`]: expect.objectContaining({ region_fk: parent }) });
});

test('releases a chain of children in the wrong order when its first parent arrives', async () => {
  const chain = Array.from({ length: 12 }, () => randomUUID());
  for (let at = chain.length - 1; at > 0; at -= 1)
    await world.edit(farmer(chain[at] ?? '', { name: `${at}`, friend_id: chain[at - 1] }));
  await waitUntil(() => world.figures().parked === chain.length - 1);
  await world.edit(farmer(chain[0] ?? '', { name: 'first' }));
  await expectAtRest(world, Object.fromEntries(chain.map((id) => [`farmer/${id}`, expect.anything()])));
  expect(await world.held()).toEqual([]);
});

test('syncs rows that reference themselves or each other, in both directions', async () => {
  const [self, one, other, heliumId, journeyId] = Array.from({ length: 5 }, () => randomUUID());
  await world.edit(
    farmer(self ?? '', { friend_id: self }),
    farmer(one ?? '', { friend_id: other }),
    farmer(other ?? '', { friend_id: one }),
  );
  await world.sql(`with made as (insert into $s.farmer (_id_, _tstamp_) values ($1, now()), ($2, now())) select 1`, [
    heliumId,
    journeyId,
  ]);
  await world.sql(
    `update $s.farmer set friend_fk = case _id_ when $1 then $2::uuid else $1::uuid end where _id_ in ($1, $2)`,
    [heliumId, journeyId],
  );
  await expectAtRest(world, {
    [`farmer/${self}`]: expect.objectContaining({ friend_fk: self }),
    [`farmer/${one}`]: expect.objectContaining({ friend_fk: other }),
    [`farmer/${other}`]: expect.objectContaining({ friend_fk: one }),
    [`farmer/${heliumId}`]: expect.objectContaining({ friend_fk: journeyId }),
  });
});

test('parks and reports a child whose parent is deleted in Helium at the same time', async () => {
  const [parent, child] = [await insertRegion(world, 'Parent'), randomUUID()];
  await world.waitUntilEqual();
  await world.deployment.device.edit(farmer(child, { name: 'Late', region_id: parent }));
  await deleteRegion(world, parent);
  await waitUntil(async () => {
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

test('syncs each change once when a foreign key affects many children of a deleted parent', async () => {
  const parent = await insertRegion(world, 'of many');
  const many = isSoak ? 100_000 : 2_500;
  await world.sql(
    `insert into $s.farmer (_id_, _tstamp_, name, region_fk) select gen_random_uuid(), now(), 'one of many', $1 from generate_series(1, $2)`,
    [parent, many],
  );
  await world.waitUntilEqual();
  const { api } = await world.deployment.writes();
  await deleteRegion(world, parent);
  await expectAtRest(world, {});
  expect(await world.deployment.writes()).toMatchObject({ api: api + many + 1 });
}, 1_200_000);

test('never deletes a row that the same transaction has changed, which costs Helium a search of its whole log', async () => {
  await world.sql(`create table $s.changed_first (id uuid)`);
  await world.sql(
    `create function $s.note_changed_first() returns trigger language plpgsql as $$ begin
       if old._tx_id_ = txid_current() then insert into $s.changed_first values (old._id_); end if;
       return old;
     end $$`,
  );
  for (const table of ['region', 'farmer'])
    await world.sql(
      `create trigger changed_first before delete on $s.${table} for each row execute function $s.note_changed_first()`,
    );
  const [parent, ...children] = Array.from({ length: 6 }, () => randomUUID());
  await world.edit(region(parent ?? '', 'Parent'));
  for (const id of children) await world.edit(farmer(id, { name: 'Child', region_id: parent, friend_id: children[0] }));
  await expectAtRest(world, { [`farmer/${children[4]}`]: expect.objectContaining({ region_fk: parent }) });
  await world.edit(
    ...children.map((id) => ({ method: 'patch' as const, object: { type: 'farmer', id, age: 3 } })),
    { method: 'delete', object: { type: 'region', id: parent ?? '' } },
    ...children.map((id) => ({ method: 'delete' as const, object: { type: 'farmer', id } })),
  );
  await waitUntil(
    async () => !Object.keys(await world.heliumRows()).some((key) => children.some((id) => key.endsWith(id))),
  );
  const changedFirst = async () => (await world.sql('select id from $s.changed_first')).rowCount;
  expect(await changedFirst()).toBe(0);
  // The trigger does notice it.
  const control = await insertRegion(world, 'Control');
  await world.sql(
    `do $$ begin
       update $s.region set name = 'changed' where _id_ = '${control}';
       delete from $s.region where _id_ = '${control}';
     end $$`,
  );
  expect(await changedFirst()).toBe(1);
  await expectAtRest(world, {});
});
