/**
 * Values that one side has and the other cannot store: characters, numbers and dates. Only their
 * record waits.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectAtRest, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { type ResponseProxy, startResponseProxy } from '../../testing/response-proxy.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

const schemaXml = `<?xml version="1.0" encoding="UTF-8"?>
<data-model>
  <model name="plot" label="Plot">
    <field name="name" label="Name" type="text"/>
    <field name="code" label="Code" type="integer"/>
    <field name="size" label="Size" type="number"/>
    <field name="sown_on" label="Sown on" type="date"/>
    <field name="seen_at" label="Seen at" type="datetime"/>
    <field name="kind" label="Kind" type="single-choice"><option key="tea">Tea</option></field>
    <display>{name}</display>
  </model>
  <model name="user" label="User"><field name="name" label="Name" type="text"/><display>{name}</display></model>
</data-model>
`;
const columns = [
  'name text',
  'code integer',
  'size double precision',
  'sown_on date',
  'seen_at timestamp',
  'kind text',
] as const;
const empty = { name: null, code: null, size: null, sown_on: null, seen_at: null, kind: null };

let world: SyncWorld;
let proxy: ResponseProxy;

beforeAll(async () => {
  world = await createSyncWorld({ tables: { plot: columns }, sql: '', schemaXml });
  proxy = await startResponseProxy(world);
  world.startWithRestarts(proxy.through);
  await world.waitUntilEqual();
});
beforeEach(() => world.waitUntilEqual());
afterAll(async () => {
  await world.stop();
  await proxy.stop();
});

const put = (id: string, fields: object) => world.edit({ method: 'put', object: { type: 'plot', id, ...fields } });
const patch = (id: string, fields: object) => world.edit({ method: 'patch', object: { type: 'plot', id, ...fields } });
const insert = (id: string, column: string, value: unknown) =>
  world.sql(`insert into $s.plot (_id_, _tstamp_, ${column}) values ($1, now(), $2)`, [id, value]);
const update = (id: string, column: string, value: unknown) =>
  world.sql(`update $s.plot set ${column} = $2, _tstamp_ = now() where _id_ = $1`, [id, value]);

/** Checks that one record is a dead letter, and later changes of both sides flow. */
async function expectOnlyHeld(id: string, held: object): Promise<void> {
  await waitUntil(() => world.figures().deadLetters === 1);
  expect(await world.held()).toMatchObject([{ state: 'dead', table: 'plot', id, attempts: 1, ...held }]);
  const [heliumId, journeyId] = [randomUUID(), randomUUID()];
  await insert(heliumId, 'name', 'flows');
  await put(journeyId, { name: 'flows too' });
  await waitUntil(
    async () => `plot/${heliumId}` in (await world.journeyRows()) && `plot/${journeyId}` in (await world.heliumRows()),
  );
  await expect
    .poll(() => world.log)
    .toContainEqual(expect.stringMatching(new RegExp(`^SEVERE plot/${id} was rejected by`)));
}

async function expectRecovered(id: string, fields: object): Promise<void> {
  await expectAtRest(world, { [`plot/${id}`]: { ...empty, ...fields } });
  expect(await world.held()).toEqual([]);
  await waitUntil(() => world.figures().deadLetters === 0);
}

/** What Journey stores, the value its responses show instead, and the reported reason. */
const fromJourney = [
  [
    'a text with NUL',
    { name: 'a\u2400b' },
    ['\u2400', '\\u0000'],
    'plot.name contains a NUL character',
    { name: 'ab' },
  ],
  ['half a character', { name: 'a\u2424b' }, ['\u2424', '\\ud83c'], 'contains half a character', { name: 'ab' }],
  [
    '2^31',
    { code: 1111 },
    ['"code":1111', '"code":2147483648'],
    "2147483648 is outside the range of Helium's int",
    { code: 2 ** 31 - 1 },
  ],
  [
    '-2^31 - 1',
    { code: 2222 },
    ['"code":2222', '"code":-2147483649'],
    "-2147483649 is outside the range of Helium's int",
    { code: -(2 ** 31) },
  ],
  ['2^63', { code: 3333 }, ['"code":3333', '"code":9223372036854775808'], '9223372036854775808', { code: 3 }],
  [
    'a fraction where a whole number should be',
    { code: 4444 },
    ['"code":4444', '"code":1.5'],
    '1.5 is not a whole number',
    { code: 1 },
  ],
  ['1e400', { size: 5555 }, ['"size":5555', '"size":1e400'], 'is not a number', { size: 1.7976931348623157e308 }],
  [
    'the year 10000',
    { sown_on: '2001-01-01' },
    ['2001-01-01', '+010000-01-01'],
    'is not a date',
    { sown_on: '9999-12-31' },
  ],
] as const;

test.each(fromJourney)(
  "keeps Helium's row and reports a value from Journey that it cannot store: %s",
  async (_, bad, altered, reason, fixed) => {
    const id = randomUUID();
    await insert(id, 'name', 'before');
    await world.waitUntilEqual();
    const before = (await world.heliumRows())[`plot/${id}`];
    proxy.alter(altered[0], altered[1]);
    await patch(id, bad);
    await expectOnlyHeld(id, {
      kind: 'unreadable value',
      direction: 'journey-to-helium',
      reason: expect.stringContaining(reason),
    });
    expect((await world.heliumRows())[`plot/${id}`]).toEqual(before);
    // What Helium edits in the meantime waits too, and undoes nothing.
    await update(id, 'seen_at', '2026-01-02 03:04:05');
    await patch(id, fixed);
    await expectRecovered(id, { name: 'before', seen_at: '2026-01-02T03:04:05Z', ...fixed });
  },
);

/** Includes values that JSON cannot express. Nothing is rounded, truncated or cleared. */
const fromHelium = [
  ['not-a-number', 'size', 'NaN', 0.5],
  ['infinity', 'size', 'Infinity', 1e308],
  ['minus infinity', 'size', '-Infinity', -1e-300],
  ['the infinite day', 'sown_on', 'infinity', '2026-02-28'],
  ['a day of the year 10000', 'sown_on', '10000-01-01', '0001-01-01'],
  ['a moment before Christ', 'seen_at', '0044-03-15 12:00 BC', '2026-01-02T03:04:05Z'],
] as const;

test.each(fromHelium)(
  "keeps Journey's object and reports a value from Helium that it cannot store: %s",
  async (_, column, bad, fixed) => {
    const id = randomUUID();
    await insert(id, 'name', 'before');
    await world.waitUntilEqual();
    const before = (await world.journeyRows())[`plot/${id}`];
    await update(id, column, bad);
    await expectOnlyHeld(id, { direction: 'helium-to-journey' });
    expect((await world.journeyRows())[`plot/${id}`]).toEqual(before);
    await update(id, column, fixed);
    await expectRecovered(id, { name: 'before', [column]: fixed });
  },
);

test.each([
  ['the character NUL', 'co\u2400coa', ['\u2400', '\\u0000']],
  ['half a character', 'cof\u2424fee', ['\u2424', '\\ud83c']],
] as const)('reports a rejection by Journey whose text contains %s like any other', async (_, kind, altered) => {
  const id = randomUUID();
  proxy.alter(altered[0], altered[1]);
  await insert(id, 'kind', kind);
  await expectOnlyHeld(id, { direction: 'helium-to-journey', reason: expect.stringContaining('Invalid option') });
  await update(id, 'kind', 'tea');
  await expectRecovered(id, { kind: 'tea' });
});

test('syncs the greatest and smallest values that both sides can store, in both directions', async () => {
  const ends = [
    { code: 2 ** 31 - 1, size: 1.7976931348623157e308, sown_on: '9999-12-31', seen_at: '9999-12-31T23:59:59Z' },
    { code: -(2 ** 31), size: 5e-324, sown_on: '0001-01-01', seen_at: '0001-01-01T00:00:00Z' },
    { code: 0, size: 0.1 + 0.2, sown_on: '2024-02-29', seen_at: '1969-12-31T23:59:59Z' },
  ];
  const expected: Record<string, object> = {};
  for (const fields of ends) {
    const [heliumId, journeyId] = [randomUUID(), randomUUID()];
    await put(journeyId, { ...fields, name: 'journey' });
    const { code, size, sown_on, seen_at } = fields;
    await world.sql(
      `insert into $s.plot (_id_, _tstamp_, name, code, size, sown_on, seen_at) values ($1, now(), 'helium', $2, $3, $4, $5)`,
      [heliumId, code, size, sown_on, seen_at.replace('Z', '')],
    );
    expected[`plot/${heliumId}`] = { ...empty, ...fields, name: 'helium' };
    expected[`plot/${journeyId}`] = { ...empty, ...fields, name: 'journey' };
  }
  await world.waitUntilEqual();
  expect(await world.heliumRows()).toMatchObject(expected);
});
