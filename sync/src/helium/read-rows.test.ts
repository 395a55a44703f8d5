import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { shortenReal } from '../mapping/decimals.ts';
import type { ObjectMap } from '../mapping/object-map.ts';
import { createHeliumFixture, type HeliumFixture, newId } from './helium-gateway.fixture.ts';

let fixture: HeliumFixture;

const map: ObjectMap = {
  table: 'thing',
  model: 'thing',
  fields: [
    { column: 'label', field: 'label', kind: 'text' },
    { column: 'state', field: 'state', kind: 'choice' },
    { column: 'amount', field: 'amount', kind: 'integer' },
    { column: 'big', field: 'big', kind: 'integer', storage: 'bigint' },
    { column: 'price', field: 'price', kind: 'number' },
    { column: 'latitude', field: 'latitude', kind: 'number', storage: 'numeric' },
    { column: 'moisture', field: 'moisture', kind: 'number', storage: 'real' },
    { column: 'seen', field: 'seen', kind: 'datetime', storage: 'timestamptz' },
    { column: 'code', field: 'code', kind: 'text', storage: 'char' },
    { column: 'done', field: 'done', kind: 'boolean' },
    { column: 'day', field: 'day', kind: 'date' },
    { column: 'moment', field: 'moment', kind: 'datetime' },
    { column: 'other', field: 'other', kind: 'text' },
    { column: 'image', field: 'image', kind: 'blob' },
  ],
  toJourney: true,
  toHelium: true,
};
const empty = Object.fromEntries(map.fields.map(({ column }) => [column, null]));

beforeAll(async () => {
  fixture = await createHeliumFixture({
    tables: {
      thing: [
        'label text',
        'state varchar(64)',
        'amount integer',
        'big bigint',
        'price double precision',
        'latitude numeric',
        'moisture real',
        'seen timestamptz',
        'code char(20)',
        'done boolean',
        'day date',
        'moment timestamp',
        'other uuid',
        'image bytea',
      ],
    },
    // Server settings must not change how a row is read.
    sql: `do $$ begin execute format('alter database %I set datestyle to ''SQL, DMY''', current_database());
      execute format('alter database %I set timezone to ''Africa/Johannesburg''', current_database()); end $$`,
  });
});
afterAll(() => fixture.drop());

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const second = (text: string) => text.replace(/\.\d+Z$/, 'Z');
const date = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59Z'),
  noInvalidDate: true,
});
const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'));
const bytes = fc.uint8Array({ maxLength: 100 }).map((array) => Buffer.from(array));
const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const row = fc.record({
  label: orNull(text),
  state: orNull(text.filter((value) => [...value].length <= 64)),
  amount: orNull(fc.integer()),
  big: orNull(fc.maxSafeInteger()),
  price: orNull(double),
  latitude: orNull(double),
  moisture: orNull(fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => shortenReal(value + 0))),
  seen: orNull(date.map((value) => second(value.toISOString()))),
  code: orNull(text.map((value) => [...value].slice(0, 20).join('').replace(/ +$/, ''))),
  done: orNull(fc.boolean()),
  day: orNull(date.map((value) => value.toISOString().slice(0, 10))),
  moment: orNull(date.map((value) => second(value.toISOString()))),
  other: orNull(fc.uuid()),
  image: orNull(bytes),
});

it('reads back what it wrote, inserted and updated', async () => {
  await fc.assert(
    fc.asyncProperty(row, row, date, async (first, then, changedAt) => {
      const id = newId();
      for (const [isInsert, { image, ...values }] of [
        [true, first],
        [false, then],
      ] as const) {
        const hash = image && `sha256:${createHash('sha256').update(image).digest('hex')}`;
        const fields = { ...values, image: hash };
        const blobs = image && { image: { bytes: image, fileName: 'a', mediaType: 'b' } };
        const changedAtMs = changedAt.getTime();
        const write = { key: { table: 'thing', id }, fields, isInsert, changedAtMs, ...(blobs && { blobs }) };
        expect(await fixture.write([map], [write])).toEqual([{ status: 'written' }]);
        const rows = await fixture.gateway.readRows(fixture.pool, map, [id]);
        expect(rows).toMatchObject([{ id, fields, changedAtMs }]);
      }
    }),
    { numRuns: 100 },
  );
});

const insert = (id: string, columns: string, values: string) =>
  fixture.pool.query(
    `insert into shop__app_001.thing (_id_, _tstamp_, ${columns}) values ('${id}', '2026-02-03T04:05:06.7899', ${values})`,
  );
const readOne = async (id: string) => (await fixture.gateway.readRows(fixture.pool, map, [id]))[0];

it('reads timestamps to the whole second, and the row’s own to the millisecond', async () => {
  const id = newId();
  await insert(id, 'moment, day', "'1969-12-31T23:59:59.999', '0007-01-02'");
  expect(await readOne(id)).toMatchObject({
    id,
    fields: { ...empty, moment: '1969-12-31T23:59:59Z', day: '0007-01-02' },
    changedAtMs: Date.UTC(2026, 1, 3, 4, 5, 6, 789),
  });
});

it('returns numbers that JSON cannot represent as text, and infinite dates as well', async () => {
  const id = newId();
  await insert(id, 'big, price, moment, day', "9007199254740993, 'NaN', 'infinity', '-infinity'");
  expect((await readOne(id))?.fields).toEqual({
    ...empty,
    big: '9007199254740993',
    price: 'NaN',
    moment: 'infinity',
    day: '-infinity',
  });
});

it('locks only the rows it was asked to lock', async () => {
  const [locked, free] = [newId(), newId()];
  await insert(locked, 'amount', '1');
  await insert(free, 'amount', '1');
  const [one, other] = [await fixture.connect(), await fixture.connect()];
  await one.query('begin');
  expect(await fixture.gateway.lockRows(one, map, [locked, newId()])).toMatchObject({
    locked: [{ id: locked }],
    busy: [],
  });
  await other.query("set lock_timeout = '20ms'");
  await expect(other.query('update thing set amount = 2 where _id_ = $1', [locked])).rejects.toThrow('lock timeout');
  await other.query('update thing set amount = 2 where _id_ = $1', [free]);
  await one.query('rollback');
});

it('locks the rows that are free, reads the locked ones, and says who has locked them', async () => {
  const [locked, shared, free] = [newId(), newId(), newId()];
  for (const id of [locked, shared, free]) await insert(id, 'amount', '1');
  const [one, other, child] = [await fixture.connect(), await fixture.connect(), await fixture.connect()];
  await other.query("set application_name = 'till 7'; begin");
  await other.query('update thing set amount = 2 where _id_ = any($1)', [[locked, shared]]);
  await child.query('begin');
  await child.query('select from thing where _id_ = any($1) for key share', [[shared, free]]);
  const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid');
  await one.query('begin');
  const found = await fixture.gateway.lockRows(one, map, [locked, shared, free]);
  expect(found.locked.map(({ id }) => id)).toEqual([free]);
  expect(found.busy.map(({ id }) => id).sort()).toEqual([locked, shared].sort());
  expect(found.busy.map(({ fields }) => fields.amount)).toEqual([1, 1]);
  const holders = await fixture.gateway.describeRowLocks(one, 'thing', [locked, shared, free]);
  expect([...holders.keys()].sort()).toEqual([locked, shared, free].sort());
  const holder = expect.stringMatching(new RegExp(`^held \\d+ s by pid ${rows[0]?.pid} \\(till 7, since 20.* UTC\\)$`));
  expect(holders.get(locked)).toEqual(holder);
  expect(holders.get(shared)).toMatch(/^held \d+ s by pid \d+ \(/);
  await Promise.all([one, other, child].map((session) => session.query('rollback')));
});

it('says nothing of a lock that has ended', async () => {
  const id = newId();
  await insert(id, 'amount', '1');
  const [one, other] = [await fixture.connect(), await fixture.connect()];
  await other.query('begin; select from thing for update; rollback');
  await one.query('begin');
  expect(await fixture.gateway.describeRowLocks(one, 'thing', [id])).toEqual(new Map());
  expect((await one.query('select 1 as works')).rows).toEqual([{ works: 1 }]);
  await one.query('rollback');
});

it('reads all rows page by page in the order of their ids', async () => {
  await fixture.pool.query('truncate shop__app_001.thing');
  const ids = Array.from({ length: 7 }, newId);
  for (const id of ids) await insert(id, 'amount', '1');
  const seen: string[] = [];
  for (let after: string | null = null; ; after = seen.at(-1) ?? null) {
    const rows = await fixture.gateway.readRowsAfter(fixture.pool, map, after, 3);
    seen.push(...rows.map(({ id }) => id));
    if (rows.length < 3) break;
  }
  expect(seen).toEqual([...ids].sort());
});
