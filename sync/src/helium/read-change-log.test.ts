import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createHeliumFixture, type HeliumFixture, newId } from './helium-gateway.fixture.ts';
import type { ChangeLogPoint, HorizonHolder } from './helium-gateway.ts';

let fixture: HeliumFixture;

beforeAll(async () => {
  fixture = await createHeliumFixture({
    tables: { region: ['name text'], shop: ['name text'] },
    sql: 'create table quiet (name text)',
  });
});
afterAll(() => fixture.drop());
afterEach(async () => {
  await fixture.pool.query('truncate shop__app_001.region, shop__app_001.shop, shop__app_001.__he_sync_obj_change__');
});

const insert = (table: string, id: string) => `insert into ${table} (_id_, _tstamp_) values ('${id}', now())`;
const logEntries = (count: number, seq: string) =>
  `insert into shop__app_001.__he_sync_obj_change__ (seq, change, object_name, object_uuid, tx_id)
   select ${seq}, 'create', 'region', gen_random_uuid(), 1 from generate_series(1::bigint, ${count}) n`;
const never = new AbortController().signal;
const read = (cursor: string, limit = 100, point: ChangeLogPoint | null = null) =>
  fixture.gateway.readChangeLog({ cursor, point, limit, signal: never });

describe('change log pages', () => {
  it('reads changes in the order of their numbers, each record once, up to the horizon', async () => {
    const session = await fixture.connect();
    const ids = [newId(), newId(), newId()];
    for (const id of ids) await session.query(insert('region', id));
    await session.query(`update region set name = 'x' where _id_ = '${ids[0]}'`);
    const keys = ids.map((id) => ({ table: 'region', id }));
    const head = await fixture.gateway.readHead();
    expect(await read('0')).toMatchObject({ keys, cursor: head, isLast: true });

    const first = await read('0', 2);
    expect(first).toMatchObject({ keys: keys.slice(0, 2), cursor: String(BigInt(head) - 2n), isLast: false });
    const second = await read(first.cursor, 2);
    expect(second).toMatchObject({ keys: [keys[2], keys[0]], cursor: head, isLast: false });
    expect(await read(second.cursor, 2)).toMatchObject({ keys: [], cursor: head, isLast: true });
  });

  it('keeps the cursor when there is nothing new, and reports a log that ends before the cursor', async () => {
    const nothing = { keys: [], isLast: true, point: null, isProven: true };
    expect(await read('0')).toEqual({ ...nothing, cursor: '0', isBeyondEnd: false });
    expect(await read('999999')).toEqual({ ...nothing, cursor: '999999', isBeyondEnd: true });
    expect(await fixture.gateway.readHead()).toBe('0');
  });

  it('returns the last entry with each page, and reads nothing after an entry that has been replaced', async () => {
    const session = await fixture.connect();
    for (const id of [newId(), newId(), newId()]) await session.query(insert('region', id));
    const first = await read('0', 2);
    expect(first.point).toMatchObject({ seq: first.cursor, table: 'region', id: first.keys[1]?.id });
    const second = await read(first.cursor, 2, first.point);
    expect(second).toMatchObject({ keys: [{}], isProven: true, point: { seq: second.cursor } });
    expect(await read(second.cursor, 2, second.point)).toMatchObject({ keys: [], isProven: true, point: second.point });

    const { point } = first;
    if (!point) throw new Error('The page has no last entry.');
    const changed = { ...point, id: newId() };
    expect(await read(first.cursor, 2, changed)).toMatchObject({ keys: [], isProven: false, cursor: first.cursor });
    await session.query('delete from __he_sync_obj_change__ where seq = $1', [first.cursor]);
    expect(await read(first.cursor, 2, first.point)).toMatchObject({ keys: [], isProven: false });
    expect(await read(first.cursor, 2, { ...point, isCleared: true })).toMatchObject({
      keys: [{}],
      isProven: true,
    });
  });

  it('distinguishes a log that was cleared from one that was restored', async () => {
    const session = await fixture.connect();
    for (const id of [newId(), newId(), newId()]) await session.query(insert('region', id));
    const { point: oldest } = await read('0', 1);
    const { point: newest } = await read('0');
    if (!oldest || !newest) throw new Error('The pages have no last entries.');
    const find = (point: ChangeLogPoint) => fixture.gateway.findPoint(fixture.pool, point);
    expect(await find(newest)).toEqual({ kind: 'proven' });
    expect(await find({ ...newest, id: newId() })).toMatchObject({ kind: 'restored', asOf: null });
    await session.query('delete from __he_sync_obj_change__ where seq = $1', [newest.seq]);
    expect(await find(newest)).toMatchObject({ kind: 'restored', evidence: expect.stringContaining('older ones') });
    await session.query('delete from __he_sync_obj_change__');
    expect(await find(newest)).toEqual({ kind: 'cleared', point: { ...newest, isCleared: true }, isLast: true });
    expect(await find(oldest)).toEqual({ kind: 'cleared', point: { ...oldest, isCleared: true }, isLast: false });
    expect(await find({ ...newest, isCleared: true })).toEqual({ kind: 'proven' });
    await session.query(`select setval('__he_sync_change_seq__', $1)`, [oldest.seq]);
    expect(await find(newest)).toMatchObject({
      kind: 'restored',
      evidence: expect.stringContaining('ends at entry 0'),
    });
  });

  it('reads entries that are still in the parent table of the log', async () => {
    const session = await fixture.connect();
    const id = newId();
    await session.query(`insert into __he_sync_obj_change__ values (9007199254740993, 'update', 'region', '${id}', 1)`);
    expect(await read('9007199254740992')).toMatchObject({
      keys: [{ table: 'region', id }],
      cursor: '9007199254740993',
      isLast: true,
    });
  });

  it('finds the next entries behind any gap in the numbers', async () => {
    await fixture.pool.query(logEntries(5, 'n * 1000000000000'));
    const first = await read('0', 2);
    expect(first).toMatchObject({ keys: [{}, {}], cursor: '2000000000000', isLast: false });
    expect(await read(first.cursor, 100, first.point)).toMatchObject({ cursor: '5000000000000', isLast: true });
  });

  it('reads the page of a backlog before the log has statistics, and not the whole backlog', async () => {
    await fixture.pool.query('create extension if not exists pg_stat_statements');
    await fixture.pool.query(logEntries(50_000, 'n'));
    const readBlocks = async () => {
      const { rows } = await fixture.pool.query<{ blocks: number }>(
        `select coalesce(sum(shared_blks_hit + shared_blks_read), 0)::int as blocks from pg_stat_statements
         where query like '%"isUpdate"%' and dbid = (select oid from pg_database where datname = current_database())`,
      );
      return rows[0]?.blocks ?? 0;
    };
    const before = await readBlocks();
    expect((await read('0')).keys).toHaveLength(100);
    // The log has 500 blocks.
    expect((await readBlocks()) - before).toBeLessThan(100);
  });
});

describe('change log horizon', () => {
  it('does not wait for sessions that only read, write, lock or truncate elsewhere, or started later', async () => {
    const [reader, elsewhere, later] = [await fixture.connect(), await fixture.connect(), await fixture.connect()];
    await reader.query(`begin; ${insert('region', newId())}; commit; begin; select from region for update`);
    await elsewhere.query(`begin; lock table quiet in exclusive mode; insert into quiet values ('x'); truncate quiet;
      insert into quiet values ('y')`);
    const { keys } = await read('0');
    expect(keys).toHaveLength(1);
    await later.query('rollback');
    await reader.query('rollback');
    await elsewhere.query('rollback');
  });

  it('reports which session holds the horizon, and when it is released', async () => {
    const [holder, other] = [await fixture.connect(), await fixture.connect()];
    await holder.query(`set application_name = 'night run'; begin; ${insert('region', newId())}`);
    await other.query(insert('shop', newId()));
    const reported: (HorizonHolder | null)[] = [];
    const onHeld = (by: HorizonHolder | null) => {
      reported.push(by);
      void holder.query('commit');
    };
    const page = await fixture.gateway.readChangeLog({ cursor: '0', point: null, limit: 100, signal: never, onHeld });
    expect(page.keys).toHaveLength(2);
    const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
    expect(reported).toEqual([
      { pid: rows[0]?.pid, applicationName: 'night run', since: expect.stringMatching(/^\d{4}-.*Z$/) },
      null,
    ]);
    expect(Math.abs(Date.parse(reported[0]?.since ?? '') - Date.now())).toBeLessThan(600_000);
  });

  it('stops waiting when it is aborted', async () => {
    const [holder, other] = [await fixture.connect(), await fixture.connect()];
    await holder.query(`begin; ${insert('region', newId())}`);
    await other.query(insert('shop', newId()));
    const stop = new AbortController();
    const reading = fixture.gateway.readChangeLog({
      cursor: '0',
      point: null,
      limit: 1,
      signal: stop.signal,
      onHeld: () => stop.abort(),
    });
    await expect(reading).rejects.toThrow('abort');
    await holder.query('rollback');
  });
});
