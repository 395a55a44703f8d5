/**
 * Records one side will never take: they wait for a person with their reason, and everything else
 * flows.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { retryHeld, skipHeld } from '../../sync-state/operations.store.ts';
import { createSyncWorld, type SyncWorld } from '../testing/sync-world.fixture.ts';
import { expectAtRest, expectNoEcho, until } from './fault-steps.fixture.ts';

const schemaXml = `<?xml version="1.0" encoding="UTF-8"?>
<data-model>
  <model name="crop" label="Crop">
    <field name="name" label="Name" type="text"/>
    <field name="code" label="Code" type="integer"/>
    <field name="kind" label="Kind" type="single-choice">
      <option key="maize">Maize</option>
      <option key="tea">Tea</option>
    </field>
    <display>{name}</display>
  </model>
  <model name="user" label="User"><field name="name" label="Name" type="text"/><display>{name}</display></model>
</data-model>
`;

let world: SyncWorld;
let wake: () => void;

beforeAll(async () => {
  world = await createSyncWorld({
    tables: { crop: ['name varchar(20)', 'code integer unique check (code < 1000000)', 'kind text'] },
    sql: '',
    schemaXml,
  });
  wake = world.start().wake;
  await world.untilEqual();
});
beforeEach(() => world.untilEqual());
afterAll(() => world.stop());

const put = (id: string, fields: object) =>
  world.edit({ method: 'put', object: { type: 'crop', id, name: null, ...fields } });
const insert = (id: string, name: string, code: number | null, kind: string | null = null) =>
  world.sql('insert into $s.crop (_id_, _tstamp_, name, code, kind) values ($1, now(), $2, $3, $4)', [
    id,
    name,
    code,
    kind,
  ]);
const readStateId = async () => (await world.sql('select state_id from __portal_sync__.run')).rows[0].state_id;
const crop = (name: string | null, code: number | null, kind: string | null = null) => ({ name, code, kind });

async function retry(kind: string): Promise<void> {
  await retryHeld(world.helium.pool, await readStateId(), { numbers: null, kind });
  wake();
}

test.each([
  ['a check', { code: 2_000_000 }, '23514', { code: 1 }],
  ['a text that is too long', { name: 'x'.repeat(21) }, '22001', { name: 'short' }],
])('refused by Helium for %s: told, and gone once Journey has mended it', async (_what, poison, kind, mended) => {
  const [bad, good] = [randomUUID(), randomUUID()];
  await put(bad, poison);
  await put(good, { name: 'good' });
  await until(() => world.figures().deadLetters === 1);
  await until(async () => `crop/${good}` in (await world.heliumRows()));
  expect(await world.held()).toMatchObject([{ state: 'dead', id: bad, kind, direction: 'journey-to-helium' }]);
  expect(world.log).toContainEqual(expect.stringContaining(`SEVERE crop/${bad} is refused by Helium`));
  await world.edit({ method: 'patch', object: { type: 'crop', id: bad, ...mended } });
  await expectAtRest(world, { [`crop/${bad}`]: expect.objectContaining(mended) });
  expect(await world.held()).toEqual([]);
  await until(() => world.figures().deadLetters === 0);
});

test('a code that another row has: retried in vain, skipped, retried with all like it when it is free', async () => {
  const [first, ...others] = [randomUUID(), randomUUID(), randomUUID()];
  await insert(first, 'first', 77);
  for (const [at, id] of others.entries()) await insert(id, `other ${at}`, 100 + at);
  await world.untilEqual();
  for (const id of others) await world.edit({ method: 'patch', object: { type: 'crop', id, code: 77 } });
  await until(() => world.figures().deadLetters === 2);
  const [one] = await world.held();
  expect(one).toMatchObject({ kind: '23505', reason: expect.stringContaining('77'), attempts: 1 });

  await retry('23505');
  await until(async () => (await world.held()).every(({ attempts }) => attempts === 2));
  await skipHeld(world.helium.pool, await readStateId(), { numbers: one ? [one.no] : [], kind: null });
  wake();
  await until(() => world.figures().deadLetters === 1);
  // Edits of both sides queue behind it, and none takes the other back.
  await world.sql(`update $s.crop set name = 'renamed' where _id_ = $1`, [others[1]]);
  await world.edit({ method: 'patch', object: { type: 'crop', id: others[1] ?? '', kind: 'tea' } });
  await until(async () => (await world.held()).some(({ id, attempts }) => id === others[1] && attempts >= 3));

  await world.sql('update $s.crop set code = null where _id_ = $1', [first]);
  // The skipped one is tried again when it changes.
  await world.edit({ method: 'patch', object: { type: 'crop', id: others[0] ?? '', code: 78 } });
  await until(async () => (await world.held()).length === 1);
  await retry('23505');
  await expectAtRest(world, {
    [`crop/${others[0]}`]: crop('other 0', 78),
    [`crop/${others[1]}`]: crop('renamed', 77, 'tea'),
  });
  expect(await world.held()).toEqual([]);
});

test('an echo of ours does not release what is held back', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  await insert(first, 'has it', 500);
  await insert(second, 'wants it', 501);
  await world.untilEqual();
  // Ours is under way while theirs comes, and comes back after it.
  world.journey.faults.set({ mode: 'delay', delayMs: 2_000, path: 'batch', times: 1 });
  await world.sql(`update $s.crop set name = 'ours' where _id_ = $1`, [second]);
  await until(() => world.journey.faults.list().length === 0);
  await world.edit({ method: 'patch', object: { type: 'crop', id: second, code: 500 } });
  await until(() => world.figures().deadLetters === 1);
  await until(async () => (await world.journeyRows())[`crop/${second}`]?.name === 'ours');
  await expectNoEcho(world);
  expect(await world.held()).toMatchObject([{ id: second, kind: '23505', state: 'dead' }]);
  expect(await world.journeyRows()).toMatchObject({ [`crop/${second}`]: crop('ours', 500) });
  await world.sql('update $s.crop set code = null where _id_ = $1', [first]);
  await retry('23505');
  await expectAtRest(world, { [`crop/${second}`]: crop('ours', 500) });
});

test('refused by Journey: an unknown choice; told, tried again when it changes', async () => {
  const [bad, good] = [randomUUID(), randomUUID()];
  await insert(bad, 'bad', null, 'coffee');
  await insert(good, 'good', null, 'tea');
  await until(() => world.figures().deadLetters === 1);
  expect(await world.held()).toMatchObject([
    { state: 'dead', id: bad, direction: 'helium-to-journey', reason: expect.stringContaining('coffee') },
  ]);
  expect(world.log).toContainEqual(expect.stringContaining(`SEVERE crop/${bad} is refused by Journey`));
  await until(async () => `crop/${good}` in (await world.journeyRows()));
  await world.sql(`update $s.crop set kind = 'maize' where _id_ = $1`, [bad]);
  await expectAtRest(world, { [`crop/${bad}`]: crop('bad', null, 'maize') });
  expect(await world.held()).toEqual([]);
});

test('a page of nothing but poison, each way: all are told, and what follows flows', async () => {
  const many = Array.from({ length: 40 }, () => randomUUID());
  await world.edit(
    ...many.map((id) => ({ method: 'put' as const, object: { type: 'crop', id, name: 'y'.repeat(30) } })),
  );
  await world.sql(
    `insert into $s.crop (_id_, _tstamp_, kind) select gen_random_uuid(), now(), 'cocoa' from generate_series(1, 40)`,
  );
  await until(() => world.figures().deadLetters === 80);
  const [here, there] = [randomUUID(), randomUUID()];
  await insert(here, 'flows', null);
  await put(there, { name: 'flows too' });
  await until(async () => {
    const [helium, journey] = [await world.heliumRows(), await world.journeyRows()];
    return `crop/${there}` in helium && `crop/${here}` in journey;
  });
  await world.edit(...many.map((id) => ({ method: 'patch' as const, object: { type: 'crop', id, name: 'short' } })));
  await world.sql(`update $s.crop set kind = null where kind = 'cocoa'`);
  await expectAtRest(world, { [`crop/${here}`]: crop('flows', null), [`crop/${there}`]: crop('flows too', null) });
  expect(await world.held()).toEqual([]);
});
