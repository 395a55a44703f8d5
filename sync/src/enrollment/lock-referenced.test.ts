import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createStateDatabase, pool } from '../sync-state/state-database.fixture.ts';
import { lockReferenced } from './write-cells.ts';

createStateDatabase();

test('does not count a row that another session has just inserted as locked', async () => {
  await pool.query('create table person (_id_ uuid primary key)');
  const [present, late] = [randomUUID(), randomUUID()];
  await pool.query('insert into person values ($1)', [present]);
  const db: Parameters<typeof lockReferenced>[0] = Object.create(pool, {
    query: {
      async value(text: string, values: unknown[]) {
        const result = await pool.query(text, values);
        await pool.query('insert into person values ($1) on conflict do nothing', [late]);
        return result;
      },
    },
  });
  const { locked, busy } = await lockReferenced(db, 'person', [present, late]);
  expect([...locked]).toEqual([present]);
  expect([...busy]).toEqual([]);
});
