import { inTransaction } from '@portal/kit/postgres/pool';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHeliumFixture, type HeliumFixture, schema } from '../helium/helium-gateway.fixture.ts';
import { deleteRows, insertMissing, lockOthers, updateChanged } from './write-cells.ts';

const columns = [
  { name: 'words', type: 'text' },
  { name: 'flag', type: 'boolean' },
  { name: 'at', type: 'timestamp without time zone' },
];

const toId = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const cells = fc.record({
  words: fc.option(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''))),
  flag: fc.option(fc.boolean()),
  at: fc.option(fc.constantFrom('2026-01-02T03:04:05', '1999-12-31T23:59:59')),
});
const table = fc.dictionary(fc.integer({ min: 1, max: 12 }).map(String), cells);

describe('row updates', () => {
  let helium: HeliumFixture;
  beforeAll(async () => {
    helium = await createHeliumFixture({
      tables: { thing: ['words text', 'flag boolean', 'at timestamp', 'other text'] },
    });
  });
  afterAll(() => helium.drop());

  const change = (work: Parameters<typeof inTransaction<number>>[1]) =>
    inTransaction(helium.pool, async (db) => {
      await db.query(`set local search_path = ${schema}`);
      return work(db);
    });
  const toRows = (given: Readonly<Record<string, object>>) =>
    Object.entries(given).map(([number, row]) => ({ id: toId(Number(number)), cells: { ...row } }));
  const read = async () => {
    const { rows } = await helium.pool.query<{ id: string; row: object }>(
      `select _id_ as id, json_build_object('words', words, 'flag', flag, 'at', at) as row from ${schema}.thing`,
    );
    return new Map(rows.map(({ id, row }) => [id, row]));
  };

  it('makes the table equal to the given rows, and writes each row at most once', async () => {
    const target = { table: 'thing', columns };
    await fc.assert(
      fc.asyncProperty(table, table, async (before, after) => {
        await helium.pool.query(`truncate ${schema}.thing`);
        await change((db) => insertMissing(db, target, toRows(before), new Date()));
        const stored = await read();
        const given = toRows(after);
        const written = await change(async (db) => {
          const ids = given.map(({ id }) => id);
          const others = await lockOthers(db, 'thing', ids);
          const deleted = await deleteRows(db, target, others);
          const inserted = await insertMissing(db, target, given, new Date());
          return deleted + inserted + (await updateChanged(db, target, given));
        });
        const expected = new Map(given.map(({ id, cells: row }) => [id, row]));
        expect(await read()).toEqual(expected);
        const different = [...expected].filter(([id, row]) => JSON.stringify(row) !== JSON.stringify(stored.get(id)));
        const deletedIds = [...stored.keys()].filter((id) => !expected.has(id));
        expect(written).toBe(different.length + deletedIds.length);
        expect(await change((db) => updateChanged(db, target, given))).toBe(0);
      }),
      { numRuns: 40 },
    );
  });
});
