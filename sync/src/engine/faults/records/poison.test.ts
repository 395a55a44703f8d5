/**
 * Records that one side always rejects. They wait for an operator with their reason, and everything
 * else flows.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { markSkipped, requestRetry } from '../../../sync-state/operations.store.ts';
import { expectAtRest, expectNoEcho, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

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
  await world.waitUntilEqual();
});
beforeEach(() => world.waitUntilEqual());
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
const findStateId = async () => (await world.sql('select state_id from __portal_sync__.run')).rows[0].state_id;
const crop = (name: string | null, code: number | null, kind: string | null = null) => ({ name, code, kind });

async function retry(kind: string): Promise<void> {
  await requestRetry(world.helium.pool, await findStateId(), { numbers: null, kind });
  wake();
}

test.each([
  ['a check', { code: 2_000_000 }, '23514', { code: 1 }],
  ['a text that is too long', { name: 'x'.repeat(21) }, '22001', { name: 'short' }],
])(
  'reports a record rejected by Helium for %s, and releases it once Journey has fixed it',
  async (_what, poison, kind, fixed) => {
    const [bad, good] = [randomUUID(), randomUUID()];
    await put(bad, poison);
    await put(good, { name: 'good' });
    await waitUntil(() => world.figures().deadLetters === 1);
    await waitUntil(async () => `crop/${good}` in (await world.heliumRows()));
    expect(await world.held()).toMatchObject([{ state: 'dead', id: bad, kind, direction: 'journey-to-helium' }]);
    await expect
      .poll(() => world.log)
      .toContainEqual(expect.stringContaining(`SEVERE crop/${bad} was rejected by Helium`));
    await world.edit({ method: 'patch', object: { type: 'crop', id: bad, ...fixed } });
    await expectAtRest(world, { [`crop/${bad}`]: expect.objectContaining(fixed) });
    expect(await world.held()).toEqual([]);
    await waitUntil(() => world.figures().deadLetters === 0);
  },
);

test('retries a duplicate code in vain, skips it, and retries all of its kind once the code is free', async () => {
  const [first, ...others] = [randomUUID(), randomUUID(), randomUUID()];
  await insert(first, 'first', 77);
  for (const [at, id] of others.entries()) await insert(id, `other ${at}`, 100 + at);
  await world.waitUntilEqual();
  for (const id of others) await world.edit({ method: 'patch', object: { type: 'crop', id, code: 77 } });
  await waitUntil(() => world.figures().deadLetters === 2);
  const [one] = await world.held();
  expect(one).toMatchObject({ kind: '23505', reason: expect.stringContaining('77'), attempts: 1 });

  await retry('23505');
  await waitUntil(async () => (await world.held()).every(({ attempts }) => attempts === 2));
  await markSkipped(world.helium.pool, await findStateId(), { numbers: one ? [one.no] : [], kind: null });
  wake();
  await waitUntil(() => world.figures().deadLetters === 1);
  // Edits of both sides queue behind it, and neither undoes the other.
  await world.sql(`update $s.crop set name = 'renamed' where _id_ = $1`, [others[1]]);
  await world.edit({ method: 'patch', object: { type: 'crop', id: others[1] ?? '', kind: 'tea' } });
  await waitUntil(async () => (await world.held()).some(({ id, attempts }) => id === others[1] && attempts >= 3));

  await world.sql('update $s.crop set code = null where _id_ = $1', [first]);
  // The skipped record is retried when it changes.
  await world.edit({ method: 'patch', object: { type: 'crop', id: others[0] ?? '', code: 78 } });
  await waitUntil(async () => (await world.held()).length === 1);
  await retry('23505');
  await expectAtRest(world, {
    [`crop/${others[0]}`]: crop('other 0', 78),
    [`crop/${others[1]}`]: crop('renamed', 77, 'tea'),
  });
  expect(await world.held()).toEqual([]);
});

test('keeps a record held when the echo of an engine write arrives', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  await insert(first, 'has it', 500);
  await insert(second, 'wants it', 501);
  await world.waitUntilEqual();
  // Our write is in flight when theirs arrives, and comes back after it.
  world.journey.faults.set({ mode: 'delay', delayMs: 2_000, path: 'batch', times: 1 });
  await world.sql(`update $s.crop set name = 'ours' where _id_ = $1`, [second]);
  await waitUntil(() => world.journey.faults.list().length === 0);
  await world.edit({ method: 'patch', object: { type: 'crop', id: second, code: 500 } });
  await waitUntil(() => world.figures().deadLetters === 1);
  await waitUntil(async () => (await world.journeyRows())[`crop/${second}`]?.name === 'ours');
  await expectNoEcho(world);
  expect(await world.held()).toMatchObject([{ id: second, kind: '23505', state: 'dead' }]);
  expect(await world.journeyRows()).toMatchObject({ [`crop/${second}`]: crop('ours', 500) });
  await world.sql('update $s.crop set code = null where _id_ = $1', [first]);
  await retry('23505');
  await expectAtRest(world, { [`crop/${second}`]: crop('ours', 500) });
});

test('reports a record rejected by Journey for an unknown choice, and retries it when it changes', async () => {
  const [bad, good] = [randomUUID(), randomUUID()];
  await insert(bad, 'bad', null, 'coffee');
  await insert(good, 'good', null, 'tea');
  await waitUntil(() => world.figures().deadLetters === 1);
  expect(await world.held()).toMatchObject([
    { state: 'dead', id: bad, direction: 'helium-to-journey', reason: expect.stringContaining('coffee') },
  ]);
  await expect
    .poll(() => world.log)
    .toContainEqual(expect.stringContaining(`SEVERE crop/${bad} was rejected by Journey`));
  await waitUntil(async () => `crop/${good}` in (await world.journeyRows()));
  await world.sql(`update $s.crop set kind = 'maize' where _id_ = $1`, [bad]);
  await expectAtRest(world, { [`crop/${bad}`]: crop('bad', null, 'maize') });
  expect(await world.held()).toEqual([]);
});

test('reports every record of a page that is rejected entirely, in each direction, and syncs what follows', async () => {
  const many = Array.from({ length: 40 }, () => randomUUID());
  await world.edit(
    ...many.map((id) => ({ method: 'put' as const, object: { type: 'crop', id, name: 'y'.repeat(30) } })),
  );
  await world.sql(
    `insert into $s.crop (_id_, _tstamp_, kind) select gen_random_uuid(), now(), 'cocoa' from generate_series(1, 40)`,
  );
  await waitUntil(() => world.figures().deadLetters === 80);
  const [heliumId, journeyId] = [randomUUID(), randomUUID()];
  await insert(heliumId, 'flows', null);
  await put(journeyId, { name: 'flows too' });
  await waitUntil(async () => {
    const [helium, journey] = [await world.heliumRows(), await world.journeyRows()];
    return `crop/${journeyId}` in helium && `crop/${heliumId}` in journey;
  });
  await world.edit(...many.map((id) => ({ method: 'patch' as const, object: { type: 'crop', id, name: 'short' } })));
  await world.sql(`update $s.crop set kind = null where kind = 'cocoa'`);
  await expectAtRest(world, {
    [`crop/${heliumId}`]: crop('flows', null),
    [`crop/${journeyId}`]: crop('flows too', null),
  });
  expect(await world.held()).toEqual([]);
});
