// @module-tag long

import { inTransaction } from '@portal/kit/postgres/pool';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ObjectMap } from '../mapping/object-map.ts';
import type { Value } from '../record/fields.ts';
import { atMs, createHeliumFixture, type HeliumFixture, newId } from './helium-gateway.fixture.ts';
import type { HeliumOutcome, HeliumWrite } from './helium-gateway.ts';
import { withLimitedWaits } from './limit-waits.ts';

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
const single = createMap('single', 'code');
const pair = createMap('pair', 'hall', 'code');
const slot = createMap('slot', 'code');
const span = createMap('span', 'hall', 'code');
const late = createMap('late', 'code');
const objects = [free, bound, fixed, seat, single, pair, slot, span, late];

let fixture: HeliumFixture;

beforeAll(async () => {
  fixture = await createHeliumFixture({
    tables: {
      free: ['code integer unique'],
      bound: ['code integer not null unique check (code between 0 and 99)'],
      // Only these values exist.
      fixed: ['code integer not null unique check (code in (1, 2))'],
      single: ['code integer unique nulls not distinct'],
      pair: ['hall integer', 'code integer', 'unique nulls not distinct (hall, code)'],
      slot: ['code integer not null', 'exclude (code with =)'],
      // Two rows of a hall must be two apart.
      span: [
        'hall integer not null',
        'code integer not null',
        'exclude using gist (int4range(hall * 1000 + code, hall * 1000 + code + 2) with &&)',
      ],
      late: ['code integer not null unique deferrable initially deferred'],
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

it('swaps the values of two unique keys at once, of several columns, of an expression and of a condition', {
  tags: 'short',
}, async () => {
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

it.each([
  ['a key that compares nulls', single],
  ['an exclusion constraint', slot],
  ['a deferred key', late],
])('exchanges values under %s, in a pair and in a ring of three', async (_which, map) => {
  const [a, b, c] = [newId(), newId(), newId()];
  await write(insert(map, a, { code: 1 }), insert(map, b, { code: 2 }), insert(map, c, { code: 3 }));
  expect(await write(update(map, a, { code: 2 }), update(map, b, { code: 1 }))).toEqual([written, written]);
  const ring = [update(map, a, { code: 3 }), update(map, b, { code: 2 }), update(map, c, { code: 1 })];
  expect(await write(...ring)).toEqual([written, written, written]);
  expect(await read(map)).toEqual({ [a]: { code: 3 }, [b]: { code: 2 }, [c]: { code: 1 } });
});

it('exchanges null and a value under keys that compare nulls, of one and of two columns', async () => {
  const [a, b, c] = [newId(), newId(), newId()];
  await write(insert(single, a, { code: null }), insert(single, b, { code: 1 }), insert(single, c, { code: 2 }));
  const ring = [update(single, a, { code: 1 }), update(single, b, { code: 2 }), update(single, c, { code: null })];
  expect(await write(...ring)).toEqual([written, written, written]);
  expect(await read(single)).toEqual({ [a]: { code: 1 }, [b]: { code: 2 }, [c]: { code: null } });
  await write(insert(pair, a, { hall: 1, code: null }), insert(pair, b, { hall: 2, code: null }));
  expect(await write(update(pair, a, { hall: 2 }), update(pair, b, { hall: 1 }))).toEqual([written, written]);
  expect(await read(pair)).toEqual({ [a]: { hall: 2, code: null }, [b]: { hall: 1, code: null } });
});

it('moves values that exclude each other without being equal', async () => {
  const [a, b, c] = [newId(), newId(), newId()];
  await write(insert(span, a, { hall: 1, code: 1 }), insert(span, b, { hall: 1, code: 4 }));
  await write(insert(span, c, { hall: 1, code: 7 }));
  const moved = [update(span, a, { code: 3 }), update(span, b, { code: 6 }), update(span, c, { code: 8 })];
  expect(await write(...moved)).toEqual([written, written, written]);
  expect(await write(update(span, a, { code: 6 }), update(span, b, { code: 3 }))).toEqual([written, written]);
});

describe('many rows', () => {
  const count = 300;
  const insertMany = async (map: ObjectMap, length = count) => {
    const ids = Array.from({ length }, newId);
    await write(...ids.map((id, at) => insert(map, id, { code: at + 1, name: 'x' })));
    return ids;
  };
  /** Writes, and returns how many statements that took. */
  const writeCounted = (writes: readonly HeliumWrite[]) =>
    inTransaction(fixture.pool, async (client) => {
      const query = vi.spyOn(client, 'query');
      const outcomes = await fixture.gateway.write(client, objects, writes);
      const statements = query.mock.calls.length;
      query.mockRestore();
      return { outcomes, statements };
    });
  const areWritten = (outcomes: readonly HeliumOutcome[]) => outcomes.every(({ status }) => status === 'written');
  const codes = async (map: ObjectMap, ids: readonly string[]) => {
    const { rows } = await fixture.pool.query(
      `select _id_::text as id, code from shop__app_001.${map.table} where _id_ = any($1::uuid[])`,
      [ids],
    );
    const byId = new Map(rows.map(({ id, code }) => [id, code]));
    return ids.map((id) => byId.get(id));
  };

  it('are shifted by one in a few statements, in whatever order they come', async () => {
    const ids = await insertMany(free);
    const up = ids.map((id, at) => update(free, id, { code: at + 2 }));
    for (const writes of [up, up.toReversed().map((one, at) => ({ ...one, fields: { code: count - at } }))]) {
      const { outcomes, statements } = await writeCounted(writes);
      expect(areWritten(outcomes)).toBe(true);
      expect(statements).toBeLessThan(40);
    }
    expect(await codes(free, ids)).toEqual(ids.map((_, at) => at + 1));
  });

  it('are logged once each, even if one of a ring gave up its value for a moment', async () => {
    const ids = await insertMany(free);
    const log = async () => {
      const { rows } = await fixture.pool.query(
        'select count(*)::int as entries from shop__app_001.__he_sync_obj_change__',
      );
      return rows[0]?.entries;
    };
    const before = await log();
    await write(...ids.map((id, at) => update(free, id, { code: at + 2 })));
    expect(await log()).toBe(before + count);
    const { outcomes, statements } = await writeCounted(
      ids.map((id, at) => update(free, id, { code: ((at + 1) % count) + 2 })),
    );
    expect(areWritten(outcomes)).toBe(true);
    expect(statements).toBeLessThan(40);
    expect(await log()).toBe(before + 2 * count);
    expect(await codes(free, ids)).toEqual(ids.map((_, at) => ((at + 1) % count) + 2));
  });

  it('are shifted into the place of a deleted row, and away for an inserted one', async () => {
    const [first = '', ...ids] = await insertMany(free);
    const down = ids.map((id, at) => update(free, id, { code: at + 1 })).toReversed();
    const removal = { key: { table: 'free', id: first }, fields: null, isInsert: false, changedAtMs: atMs };
    const closed = await writeCounted([...down, removal]);
    expect(areWritten(closed.outcomes)).toBe(true);
    expect(closed.statements).toBeLessThan(40);
    const up = ids.map((id, at) => update(free, id, { code: at + 2 }));
    const opened = await writeCounted([insert(free, first, { code: 1 }), ...up]);
    expect(areWritten(opened.outcomes)).toBe(true);
    expect(opened.statements).toBeLessThan(40);
  });

  it('are shifted together when each second one changes other columns, too', async () => {
    const ids = Array.from({ length: count }, newId);
    const name = (at: number) => `n${at}`;
    await write(...ids.map((id, at) => insert(seat, id, { hall: 1, code: at, name: name(at) })));
    const shifted = ids.map((id, at) => update(seat, id, { code: at + 1, ...(at % 2 === 0 && { name: `m${at}` }) }));
    const { outcomes, statements } = await writeCounted(shifted);
    expect(areWritten(outcomes)).toBe(true);
    expect(statements).toBeLessThan(40);
    const { rows } = await fixture.pool.query('select name from shop__app_001.seat order by code');
    expect(rows.map((row) => row.name)).toEqual(ids.map((_, at) => (at % 2 === 0 ? `m${at}` : name(at))));
  });

  it('are written up to the row that a check refuses, and those behind it name the row that has their value', async () => {
    const ids = await insertMany(bound, 60);
    // Only the 31st gets no legal value.
    const outcomes = await write(...ids.map((id, at) => update(bound, id, { code: at === 30 ? 100 : at + 2 })));
    expect(outcomes.map((one) => (one.status === 'refused' ? one.kind : one.status))).toEqual(
      ids.map((_, at) => (at < 30 ? '23505' : at === 30 ? '23514' : 'written')),
    );
    expect(outcomes[29]).toMatchObject({ blockedBy: [{ table: 'bound', id: ids[30] }] });
    expect(await codes(bound, ids)).toEqual(ids.map((_, at) => (at <= 30 ? at + 1 : at + 2)));
  });

  it('wait for the next transaction when fifty of them were tried and refused', async () => {
    const ids = await insertMany(bound, 60);
    const other = newId();
    await write(insert(bound, other, { code: 61 }));
    const outcomes = await write(...ids.map((id, at) => update(bound, id, { code: at + 2 })));
    const refused = outcomes.filter(({ status }) => status === 'refused');
    expect([refused.length, outcomes.filter(({ status }) => status === 'waiting').length]).toEqual([50, 10]);
    expect(await codes(bound, ids)).toEqual(ids.map((_, at) => at + 1));
  });

  it('wait with the row that another session has locked, and are not tried', async () => {
    const ids = await insertMany(free);
    const other = await fixture.connect();
    await other.query('begin');
    await other.query('select from free where _id_ = $1 for update', [ids[200]]);
    const { outcomes, statements } = await inTransaction(fixture.pool, (client) =>
      withLimitedWaits(client, async () => {
        const query = vi.spyOn(client, 'query');
        const results = await fixture.gateway.write(
          client,
          objects,
          ids.map((id, at) => update(free, id, { code: at + 2 })),
        );
        const calls = query.mock.calls.length;
        query.mockRestore();
        return { outcomes: results, statements: calls };
      }),
    );
    await other.query('rollback');
    expect(new Set(outcomes.slice(0, 201).map(({ status }) => status))).toEqual(new Set(['waiting']));
    // The search for locked rows ends after some time, and then others wait, too.
    expect(outcomes.filter(({ status }) => status === 'refused')).toEqual([]);
    expect(statements).toBeLessThan(120);
  });
});

const ids = Array.from({ length: 6 }, (_, index) => `00000000-0000-4000-8000-00000000000${index}`);
const batch = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom(...ids),
    code: fc.option(fc.integer({ min: 1, max: 7 }), { nil: null, freq: 8 }),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 6 },
);

it.each([free, bound, single, slot, late])(
  'writes every batch whose result has no duplicate, and never writes half ($table)',
  (map) =>
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
      { numRuns: 30 },
    ),
);

it('writes any permutation, shift and rotation of many values, whatever the kind of key', async () => {
  const kinds = [free, bound, single, slot, late, pair, seat].map((map) => fc.constant(map));
  const change = fc.record({
    map: fc.oneof(...kinds),
    codes: fc.shuffledSubarray(
      Array.from({ length: 16 }, (_, code) => code + 1),
      { minLength: 12, maxLength: 12 },
    ),
    order: fc.shuffledSubarray(
      Array.from({ length: 12 }, (_, at) => at),
      { minLength: 12, maxLength: 12 },
    ),
    by: fc.option(fc.integer({ min: -3, max: 3 })),
    isRotated: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(change, async ({ map, codes, order, by, isRotated }) => {
      await fixture.pool.query(`truncate shop__app_001.${map.table}`);
      const ids = order.map(newId);
      const toFields = (code: number, at: number) => ({ hall: 1, code, name: `n${at}` });
      await write(...ids.map((id, at) => insert(map, id, toFields(at + 10, at))));
      const wanted = (at: number) =>
        by === null ? (codes[at] ?? 0) + 8 : isRotated ? ((at + by + 12) % 12) + 10 : at + by + 10;
      const changed = order.map((at) => update(map, ids[at] ?? '', { code: wanted(at) }));
      expect(await write(...changed)).toEqual(order.map(() => written));
      const rows = await read(map);
      expect(ids.map((id) => rows[id]?.code)).toEqual(ids.map((_, at) => wanted(at)));
    }),
    { numRuns: 40 },
  );
});
