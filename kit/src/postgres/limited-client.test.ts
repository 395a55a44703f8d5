// @module-tag long

import { expect, it, onTestFinished } from 'vitest';
import { createPool } from './pool.ts';
import { createTestDatabase } from './test-database.ts';

/** More than the longest string of Node.js. */
const tooMany = 540_000_000;

it.each([
  ['a value', `select repeat('x', ${tooMany})`],
  ['an error', `do $$ begin raise exception '%', repeat('x', ${tooMany}); end $$`],
  ['a list of rows', `select repeat('x', 10000000) from generate_series(1, 60)`],
])(
  'a query fails, and the process and its pool go on, when %s would not fit into memory',
  async (_what, sql) => {
    const database = await createTestDatabase();
    const pool = createPool(database.url, { applicationName: 'test' });
    onTestFinished(async () => {
      await pool.end();
      await database.drop();
    });
    await expect(pool.query(sql)).rejects.toThrow('Connection terminated because the response is too large');
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  },
  60_000,
);

it('a response of any form and size below the limit is received whole, one after the other', {
  tags: 'short',
}, async () => {
  const database = await createTestDatabase();
  const pool = createPool(database.url, { applicationName: 'test', max: 1 });
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  for (const size of [0, 1, 8_190, 65_530, 65_536, 3_000_000]) {
    const { rows } = await pool.query('select repeat($1, $2 + n) as text from generate_series(0, 9) n order by n', [
      'x',
      size,
    ]);
    expect(rows.map(({ text }) => text.length)).toEqual(Array.from({ length: 10 }, (_, at) => size + at));
  }
});
