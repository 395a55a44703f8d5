import { afterEach, expect, it, vi } from 'vitest';
import { schema as unusedSchema } from '../helium/helium-gateway.fixture.ts';
import { claimRun } from './runs.store.ts';
import { beginning, createStateDatabase, pool } from './state-database.fixture.ts';
import { createUnloggedWatch, type UnloggedWatch } from './unlogged-watch.ts';

createStateDatabase();

let watch: UnloggedWatch;
afterEach(() => watch.close());

const waitFor = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 60_000 });

/** Watches an app, and returns its list of changes, which grows. */
function collect(stateId: number, schema = unusedSchema): string[] {
  const changes: string[] = [];
  watch.watch({ stateId, schema }, (change) => changes.push(change));
  return changes;
}

const increaseRevision = () => pool.query('update __portal_sync__.run set revision = revision + 1');

it('reports the first reading, then what has changed', async () => {
  watch = createUnloggedWatch(pool, 1);
  const { stateId } = await claimRun(pool, 'app', '1', beginning);
  const changes = collect(stateId);
  await waitFor(() => expect(changes).toEqual(['unknown']));
  await pool.query(`create schema ${unusedSchema}; create table ${unusedSchema}.shop (name text)`);
  await waitFor(() => expect(changes).toEqual(['unknown', 'catalog']));
  await increaseRevision();
  await waitFor(() => expect(changes).toEqual(['unknown', 'catalog', 'state']));
});

it('reports an app at each reading that fails, and at the first one that succeeds', async () => {
  watch = createUnloggedWatch(pool, 1);
  const { stateId } = await claimRun(pool, 'failing', '1', beginning);
  const changes = collect(stateId);
  await waitFor(() => expect(changes).toEqual(['unknown']));
  await pool.query('alter schema __portal_sync__ rename to gone');
  await waitFor(() => expect(changes.length).toBeGreaterThan(3));
  await pool.query('alter schema gone rename to __portal_sync__');
  await waitFor(async () => {
    await increaseRevision();
    expect(changes.at(-1)).toBe('state');
  });
  expect(new Set(changes)).toEqual(new Set(['unknown', 'state']));
});

it('reads all of many apps in turn, and none that is no longer watched', async () => {
  watch = createUnloggedWatch(pool, 50);
  const all = Array.from({ length: 120 }, (_, app) => collect(app + 1_000, `app_${app}`));
  const stopped: string[] = [];
  watch.watch({ stateId: 1, schema: 'stopped' }, (change) => stopped.push(change))();
  await waitFor(() => expect(all.every((changes) => changes.length === 1)).toBe(true));
  expect(stopped).toEqual([]);
});
