import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTransaction } from '@portal/kit/postgres/pool';
import { expect, test, vi } from 'vitest';
import { clearAbsences } from '../sync-state/absences.store.ts';
import { claimRun } from '../sync-state/runs.store.ts';
import { beginning, createStateDatabase, pool } from '../sync-state/state-database.fixture.ts';

createStateDatabase();

const toId = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

test('deletes what another transaction has changed in the meantime only if it is still to be deleted', async () => {
  const { stateId } = await claimRun(pool, 'races', '1', beginning);
  await pool.query(
    `insert into __portal_sync__.absence (state_id, side, table_name, id)
     select $1, 'helium', 'farm', id from unnest($2::uuid[]) id`,
    [stateId, [toId(1), toId(2), toId(3)]],
  );
  const cleared = await inTransaction(pool, async (db) => {
    const change = `update __portal_sync__.absence set decision = $2 where id = $1`;
    await db.query(change, [toId(1), 'keep']);
    await db.query(change, [toId(2), null]);
    const clearing = clearAbsences(pool, { stateId, side: 'helium', table: 'farm' });
    const blocked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await vi.waitUntil(async () => (await pool.query(blocked)).rows.length === 1, { timeout: 60_000, interval: 20 });
    return { clearing };
  });
  await cleared.clearing;
  const { rows } = await pool.query('select id, decision from __portal_sync__.absence');
  expect(rows).toEqual([{ id: toId(1), decision: 'keep' }]);
});

test('no one but the owner of the state deletes from its tables directly', () => {
  const source = join(import.meta.dirname, '..');
  const files = ['sync-state', 'enrollment']
    .flatMap((folder) => readdirSync(join(source, folder)).map((name) => join(folder, name)))
    .filter((file) => !/\.(test|fixture)\.ts$/.test(file));
  const deleting = files.filter((file) =>
    /\b(delete from|truncate|merge into)\b/.test(readFileSync(join(source, file), 'utf8')),
  );
  expect(deleting.sort()).toEqual([
    'enrollment/delete-enrollment-state.ts',
    // Of the app's own rows.
    'enrollment/write-cells.ts',
    'sync-state/runs.store.ts',
    'sync-state/schema.ts',
  ]);
});
