/**
 * Devices exchange the values of a unique key of Helium: no row can be written before another one.
 * Both sides become equal without an operator.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createOperations } from '../../../operations/operations.ts';
import {
  expectAtRest,
  insertRegion,
  regionFields,
  renameRegion,
  waitUntil,
} from '../../testing/fault-steps.fixture.ts';
import type { TestRun } from '../../testing/restarting-run.fixture.ts';
import { quickRateLimiter } from '../../testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;
let run: TestRun;

beforeAll(async () => {
  world = await createSyncWorld();
  run = world.start();
  await world.waitUntilEqual();
});
beforeEach(async () => {
  await world.sql('delete from $s.region');
  await world.waitUntilEqual();
});
afterAll(() => world.stop());

async function insertRing(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let code = 1; code <= count; code += 1) ids.push(await insertRegion(world, `region ${code}`, code));
  await world.waitUntilEqual();
  return ids;
}

const patch = (id: string | undefined, code: number) => ({
  method: 'patch' as const,
  object: { type: 'region', id: id ?? '', code },
});
const expected = (ids: readonly string[], codes: readonly number[]) =>
  Object.fromEntries(ids.map((id, at) => [`region/${id}`, regionFields(`region ${at + 1}`, codes[at] ?? null)]));

test('carries a swap and a ring of three that devices save at once, together with a new record', async () => {
  const ids = await insertRing(5);
  const [a, b, c, d, e] = ids;
  const created = randomUUID();
  await world.edit(...[patch(a, 2), patch(b, 1), patch(c, 4), patch(d, 5), patch(e, 3)], {
    method: 'put',
    object: { type: 'region', id: created, name: 'new', code: 6 },
  });
  await expectAtRest(world, { ...expected(ids, [2, 1, 4, 5, 3]), [`region/${created}`]: regionFields('new', 6) });
  expect(await world.held()).toEqual([]);
  expect(await world.conflicts()).toEqual([]);
});

test('carries a swap and a ring of three whose parts arrive one by one, also after a restart', async () => {
  const ids = await insertRing(5);
  const [a, b, c, d, e] = ids;
  await world.edit(patch(a, 2));
  await waitUntil(async () => (await world.held()).length === 1);
  expect(await world.held()).toMatchObject([{ id: a, kind: '23505', missing: [`region/${b}`] }]);
  await world.edit(patch(c, 4));
  await waitUntil(async () => (await world.held()).length === 2);
  await run.stop();
  run = world.start();
  await world.edit(patch(b, 1));
  await waitUntil(async () => (await world.held()).length === 1);
  await world.edit(patch(e, 3));
  await waitUntil(async () => (await world.held()).length === 2);
  await world.edit(patch(d, 5));
  await expectAtRest(world, expected(ids, [2, 1, 4, 5, 3]));
  expect(await world.held()).toEqual([]);
});

test('writes a record once the one that has its value gives it up', async () => {
  const ids = await insertRing(2);
  const [a, b] = ids;
  await world.edit(patch(a, 2));
  await waitUntil(async () => (await world.held()).length === 1);
  await world.edit(patch(b, 7));
  await expectAtRest(world, expected(ids, [2, 7]));
  expect(await world.held()).toEqual([]);
});

test('leaves a duplicate as a dead letter and does not keep retrying it', async () => {
  const ids = await insertRing(3);
  const [a, b, c] = ids;
  await world.edit(patch(b, 1), patch(c, 1));
  await waitUntil(async () => (await world.held()).length === 2);
  await world.edit({ method: 'patch', object: { type: 'region', id: a ?? '', name: 'renamed' } });
  await waitUntil(async () => (await world.heliumRows())[`region/${a}`]?.name === 'renamed');
  const { lastPingedMs } = world.figures();
  await waitUntil(() => world.figures().lastPingedMs !== lastPingedMs);
  for (const { attempts, missing } of await world.held()) {
    expect(missing).toEqual([`region/${a}`]);
    expect(attempts).toBeLessThanOrEqual(3);
  }
  await world.edit(patch(a, 3), patch(c, 9));
  await expectAtRest(world, {
    [`region/${a}`]: regionFields('renamed', 3),
    [`region/${b}`]: regionFields('region 2', 1),
  });
  expect(await world.held()).toEqual([]);
});

describe('more records than a page of the op-log has', () => {
  const count = 1_100;
  const rotated = Array.from({ length: count }, (_, at) => ((at + 1) % count) + 1);
  async function insertList(): Promise<string[]> {
    const { rows } = await world.sql(
      `insert into $s.region (_id_, _tstamp_, name, code)
       select md5('region ' || n)::uuid, now(), 'region ' || n, n from generate_series(1, ${count}) n returning _id_ as id`,
    );
    await world.waitUntilEqual();
    return rows.map(({ id }) => id);
  }
  const readLogHead = async (): Promise<string> =>
    (await world.sql('select coalesce(max(seq), 0)::text as head from $s.__he_sync_obj_change__')).rows[0].head;
  /** Returns how many rows each transaction has written since then, the largest first. */
  const countRowsPerTransaction = async (head: string): Promise<number[]> =>
    (
      await world.sql(
        `select count(distinct object_uuid)::int as rows from $s.__he_sync_obj_change__ where seq > $1
         group by tx_id order by 1 desc`,
        [head],
      )
    ).rows.map(({ rows }) => rows);
  async function expectMoved(ids: readonly string[], codes: readonly number[]): Promise<void> {
    await expectAtRest(world, expected(ids, codes));
    expect(await world.held()).toEqual([]);
    expect(await world.conflicts()).toEqual([]);
    expect(world.log.filter((line) => line.startsWith('SEVERE'))).toEqual([]);
  }
  beforeEach(() => {
    world.log.length = 0;
  });

  test('moves each record of a list by one, though the first value gets free in the last page', async () => {
    const ids = await insertList();
    await world.edit(...ids.map((id, at) => patch(id, at + 2)));
    await expectMoved(
      ids,
      ids.map((_, at) => at + 2),
    );
  });

  test('moves the last record of a list to its start, in parts, so that no transaction holds many rows', async () => {
    const ids = await insertList();
    const head = await readLogHead();
    await world.edit(...ids.map((id, at) => patch(id, rotated[at] ?? 0)));
    await expectMoved(ids, rotated);
    // One row of the first part gets a value of the ring for now, and its own with the second.
    expect(await countRowsPerTransaction(head)).toEqual([1_001, 100]);
  });

  test('continues a ring when a record of its second part is no longer rejected, and keeps an edit of the app', async () => {
    const ids = await insertList();
    await world.sql(
      `create function $s.refuse() returns trigger language plpgsql as $$ begin raise 'not yet'; end $$;
       create trigger refuse before update on $s.region for each row when (old.code = 50) execute function $s.refuse()`,
    );
    onTestFinished(async () => {
      await world.sql('drop function $s.refuse cascade');
    });
    await world.edit(...ids.map((id, at) => patch(id, rotated[at] ?? 0)));
    const rejected = () => world.held().then((held) => held.filter(({ state }) => state === 'dead'));
    await waitUntil(async () => (await rejected()).some(({ reason }) => reason.includes('not yet')));
    // The value that the last record of the first part had.
    expect((await world.heliumRows())[`region/${ids[0]}`]).toEqual(regionFields('region 1', 101));
    expect((await world.journeyRows())[`region/${ids[0]}`]).toEqual(regionFields('region 1', 2));
    await renameRegion(world, ids[0] ?? '', 'renamed');
    await world.sql('drop trigger refuse on $s.region');
    const numbers = (await rejected()).map(({ no }) => no);
    await createOperations(world.databases, quickRateLimiter()).retry(world.integration, { numbers });
    run.wake();
    await expectAtRest(world, { ...expected(ids, rotated), [`region/${ids[0]}`]: regionFields('renamed', 2) });
    expect(await world.held()).toEqual([]);
    expect(await world.conflicts()).toEqual([]);
  });
});
