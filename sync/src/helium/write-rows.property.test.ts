import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ObjectMap } from '../mapping/object-map.ts';
import { keyText, type RecordKey } from '../record/record-key.ts';
import { atMs, createHeliumFixture, foreignKey, type HeliumFixture } from './helium-gateway.fixture.ts';
import type { HeliumOutcome, HeliumWrite } from './helium-gateway.ts';

/**
 * Two tables that refer to each other and to themselves, a few ids in each, and any set of writes
 * at once. The model is independent of SQL: existing rows, their references, and the rules of the
 * outcomes.
 */
const tables = ['one', 'two'] as const;
const ids = Array.from({ length: 4 }, (_, index) => `00000000-0000-4000-8000-00000000000${index}`);
const referenceColumns = { one_fk: 'one', two_fk: 'two' } as const;
/** A value PostgreSQL always refuses: the column is an integer. */
const poison = 3_000_000_000;

const objects: readonly ObjectMap[] = tables.map((table) => ({
  table,
  model: table,
  fields: [
    { column: 'size', field: 'size', kind: 'integer' },
    ...Object.entries(referenceColumns).map(
      ([column, references]) => ({ column, field: references, kind: 'reference', references }) as const,
    ),
  ],
  toJourney: true,
  toHelium: true,
}));

let fixture: HeliumFixture;

beforeAll(async () => {
  const keys = tables.flatMap((table) =>
    Object.entries(referenceColumns).map(([column, to]) => foreignKey(table, column, to)),
  );
  const columns = ['size integer', 'one_fk uuid', 'two_fk uuid'];
  fixture = await createHeliumFixture({ tables: { one: columns, two: columns }, sql: keys.join('') });
});
afterAll(() => fixture.drop());

interface Row {
  readonly size: number;
  readonly one_fk: string | null;
  readonly two_fk: string | null;
}
type Rows = Map<string, Row>;
type Act = Row & { readonly table: (typeof tables)[number]; readonly id: string; readonly isDelete: boolean };

const reference = fc.option(fc.constantFrom(...ids), { nil: null, freq: 2 });
const act: fc.Arbitrary<Act> = fc.record({
  table: fc.constantFrom(...tables),
  id: fc.constantFrom(...ids),
  isDelete: fc.constantFrom(true, false, false),
  size: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(1, 2) }, { weight: 1, arbitrary: fc.constant(poison) }),
  one_fk: reference,
  two_fk: reference,
});
const batch = fc.uniqueArray(act, { selector: keyText, minLength: 1, maxLength: 8 });

const parentsOf = ({ one_fk, two_fk }: Row): RecordKey[] => [
  ...(one_fk === null ? [] : [{ table: 'one', id: one_fk }]),
  ...(two_fk === null ? [] : [{ table: 'two', id: two_fk }]),
];

/**
 * A write is refused when it is poison and lacks no parent, and parked when a parent neither exists
 * nor will be inserted.
 */
function expected(rows: Rows, acts: readonly Act[]): { outcomes: string[]; after: Rows } {
  const outcomes = new Map<string, string>();
  const puts = acts.filter(({ isDelete }) => !isDelete);
  for (let before = -1; before !== outcomes.size; ) {
    before = outcomes.size;
    const isThere = (key: RecordKey) =>
      rows.has(keyText(key)) || puts.some((put) => keyText(put) === keyText(key) && !outcomes.has(keyText(put)));
    for (const put of puts) {
      if (!outcomes.has(keyText(put)) && !parentsOf(put).every(isThere)) outcomes.set(keyText(put), 'parked');
    }
    if (before !== outcomes.size) continue;
    for (const put of puts)
      if (put.size === poison && !outcomes.has(keyText(put))) outcomes.set(keyText(put), 'refused');
  }
  const after: Rows = new Map(rows);
  for (const { size, one_fk, two_fk, ...key } of puts) {
    if (!outcomes.has(keyText(key))) after.set(keyText(key), { size, one_fk, two_fk });
  }
  for (const key of acts.filter(({ isDelete }) => isDelete)) after.delete(keyText(key));
  // A reference to a deleted row becomes null.
  const orNull = (table: string, id: string | null) => (id !== null && after.has(keyText({ table, id })) ? id : null);
  for (const [key, { size, one_fk, two_fk }] of after) {
    after.set(key, { size, one_fk: orNull('one', one_fk), two_fk: orNull('two', two_fk) });
  }
  return { outcomes: acts.map((one) => outcomes.get(keyText(one)) ?? 'written'), after };
}

async function readAll(): Promise<Rows> {
  const all: Rows = new Map();
  for (const map of objects) {
    for (const { id, fields } of await fixture.gateway.readRowsAfter(fixture.pool, map, null, 100)) {
      const text = (column: keyof typeof referenceColumns) => (fields[column] == null ? null : String(fields[column]));
      const row = { size: Number(fields.size), one_fk: text('one_fk'), two_fk: text('two_fk') };
      all.set(keyText({ table: map.table, id }), row);
    }
  }
  return all;
}

const sorted = (rows: Rows) => [...rows].sort(([one], [other]) => (one < other ? -1 : 1));

it('produces the rows and outcomes that the rules predict, whatever is written at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 4 }), async (batches) => {
      await fixture.pool.query('truncate shop__app_001.one, shop__app_001.two');
      let rows: Rows = new Map();
      for (const acts of batches) {
        const { outcomes, after } = expected(rows, acts);
        const writes = acts.map(({ table, id, isDelete, ...fields }): HeliumWrite => {
          const key = { table, id };
          const isInsert = !isDelete && !rows.has(keyText(key));
          return { key, fields: isDelete ? null : fields, isInsert, changedAtMs: atMs };
        });
        const results: HeliumOutcome[] = await fixture.write(objects, writes);
        expect(results.map(({ status }) => status)).toEqual(outcomes);
        expect(sorted(await readAll())).toEqual(sorted(after));
        rows = after;
      }
    }),
    { numRuns: 150 },
  );
});
