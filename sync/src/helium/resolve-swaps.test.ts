import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ObjectMap } from '../mapping/object-map.ts';
import type { Value } from '../record/fields.ts';
import { atMs, createHeliumFixture, type HeliumFixture, newId } from './helium-gateway.fixture.ts';
import type { HeliumOutcome, HeliumWrite } from './helium-gateway.ts';

const createMap = (table: string, ...columns: string[]): ObjectMap => ({
  table,
  model: table,
  fields: columns.map((column) => ({ column, field: column, kind: column === 'name' ? 'text' : 'integer' })),
  toJourney: true,
  toHelium: true,
});
const free = createMap('free', 'code');
const bound = createMap('bound', 'code');
const fixed = createMap('fixed', 'code');
const seat = createMap('seat', 'hall', 'code', 'name');
const objects = [free, bound, fixed, seat];

let fixture: HeliumFixture;

beforeAll(async () => {
  fixture = await createHeliumFixture({
    tables: {
      free: ['code integer unique'],
      bound: ['code integer not null unique check (code between 0 and 99)'],
      // Only these values exist.
      fixed: ['code integer not null unique check (code in (1, 2))'],
      seat: ['hall integer not null', 'code integer not null', 'name varchar(8) not null', 'unique (hall, code)'],
    },
    sql: `create unique index on seat (lower(name)) where name <> 'none';`,
  });
});
afterAll(() => fixture.drop());
beforeEach(async () => {
  for (const { table } of objects) await fixture.pool.query(`truncate shop__app_001.${table}`);
});

type Values = Readonly<Record<string, Value>>;
const put = (isInsert: boolean) => (map: ObjectMap, id: string, fields: Values) => ({
  key: { table: map.table, id },
  fields,
  isInsert,
  changedAtMs: atMs,
});
const [insert, update] = [put(true), put(false)];
const write = (...writes: HeliumWrite[]) => fixture.write(objects, writes);
async function read(map: ObjectMap): Promise<Record<string, Values>> {
  const rows = await fixture.gateway.readRowsAfter(fixture.pool, map, null, 100);
  return Object.fromEntries(rows.map(({ id, fields }) => [id, fields]));
}
const written = { status: 'written' };

it.each([
  ['can be empty', free],
  ['must not be empty', bound],
])('swaps a unique value that %s, in a pair, in a ring of three and beside an insert', async (_which, map) => {
  const [a, b, c, d] = [newId(), newId(), newId(), newId()];
  await write(insert(map, a, { code: 1 }), insert(map, b, { code: 2 }), insert(map, c, { code: 3 }));
  expect(await write(update(map, a, { code: 2 }), update(map, b, { code: 1 }))).toEqual([written, written]);
  expect(await read(map)).toEqual({ [a]: { code: 2 }, [b]: { code: 1 }, [c]: { code: 3 } });
  const ring = [update(map, a, { code: 1 }), update(map, b, { code: 3 }), update(map, c, { code: 2 })];
  expect(await write(...ring, insert(map, d, { code: 4 }))).toEqual([written, written, written, written]);
  expect(await read(map)).toEqual({ [a]: { code: 1 }, [b]: { code: 3 }, [c]: { code: 2 }, [d]: { code: 4 } });
  const chain = [update(map, a, { code: 5 }), update(map, b, { code: 2 }), update(map, c, { code: 3 })];
  const e = newId();
  expect(await write(insert(map, e, { code: 1 }), ...chain)).toEqual([written, written, written, written]);
});

it('swaps the values of two unique keys at once, of several columns, of an expression and of a condition', async () => {
  const [a, b] = [newId(), newId()];
  const one = { hall: 1, code: 1, name: 'Ann' };
  const other = { hall: 2, code: 2, name: 'BOB' };
  await write(insert(seat, a, one), insert(seat, b, other));
  const swapped = { [a]: { ...other, name: 'bob' }, [b]: { ...one, name: 'ANN' } };
  expect(await write(...Object.entries(swapped).map(([id, fields]) => update(seat, id, fields)))).toEqual([
    written,
    written,
  ]);
  expect(await read(seat)).toEqual(swapped);
});

it('names the rows that block each other when a check forbids every other value, and changes neither', async () => {
  const [a, b] = [newId(), newId()];
  await write(insert(fixed, a, { code: 1 }), insert(fixed, b, { code: 2 }));
  const outcomes = await write(update(fixed, a, { code: 2 }), update(fixed, b, { code: 1 }));
  expect(outcomes).toMatchObject([
    { status: 'refused', kind: '23505', blockedBy: [{ table: 'fixed', id: b }] },
    { status: 'refused', kind: '23505', blockedBy: [{ table: 'fixed', id: a }] },
  ]);
  expect(outcomes[0]).toMatchObject({ reason: expect.stringMatching(`In Helium, fixed/${b} has this value.$`) });
  expect(await read(fixed)).toEqual({ [a]: { code: 1 }, [b]: { code: 2 } });
});

it('swaps two rows while a third wants a value that one of them gets', async () => {
  const [a, b, c, d] = [newId(), newId(), newId(), newId()];
  await write(insert(free, a, { code: 1 }), insert(free, b, { code: 2 }), insert(free, c, { code: 3 }));
  await write(insert(free, d, { code: 4 }));
  const outcomes = await write(
    update(free, a, { code: 2 }),
    update(free, b, { code: 1 }),
    update(free, c, { code: 1 }),
    update(free, d, { code: 3 }),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['written', 'written', 'refused', 'refused']);
  expect(await read(free)).toEqual({ [a]: { code: 2 }, [b]: { code: 1 }, [c]: { code: 3 }, [d]: { code: 4 } });
});

const ids = Array.from({ length: 6 }, (_, index) => `00000000-0000-4000-8000-00000000000${index}`);
const batch = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom(...ids),
    code: fc.option(fc.integer({ min: 1, max: 7 }), { nil: null, freq: 8 }),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 6 },
);

it.each([free, bound])('writes every batch whose result has no duplicate, and never writes half ($table)', (map) =>
  fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 2, maxLength: 5 }), async (batches) => {
      await fixture.pool.query(`truncate shop__app_001.${map.table}`);
      let rows = new Map<string, number>();
      for (const wanted of batches) {
        // No value: the row is deleted.
        const acts = wanted.filter(({ id, code }) => code !== null || rows.has(id));
        const outcomes: HeliumOutcome[] = await write(
          ...acts.map(({ id, code }) =>
            code === null
              ? { key: { table: map.table, id }, fields: null, isInsert: false, changedAtMs: atMs }
              : put(!rows.has(id))(map, id, { code }),
          ),
        );
        const after = new Map(rows);
        const done = new Map(rows);
        for (const [index, { id, code }] of acts.entries())
          for (const result of outcomes[index]?.status === 'written' ? [after, done] : [after])
            if (code === null) result.delete(id);
            else result.set(id, code);
        if (new Set(after.values()).size === after.size) expect(done).toEqual(after);
        const found = Object.entries(await read(map)).map(([id, { code }]) => [id, code] as const);
        expect(Object.fromEntries(found)).toEqual(Object.fromEntries(done));
        rows = done;
      }
    }),
    { numRuns: 60 },
  ),
);
