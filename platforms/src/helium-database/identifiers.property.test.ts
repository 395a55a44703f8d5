import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client(database.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

it('quotes schema names exactly as PostgreSQL does', async () => {
  const names = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 15 }),
    fc.constantFrom('user', 'a"b', '"', "'; drop table x; --", 'A', 'a.b', 'snapshot_1484291539567_001', '$1'),
  );
  await fc.assert(
    fc.asyncProperty(
      names.filter((name) => !name.includes('\0')),
      async (name) => {
        const { rows } = await client.query(
          'select parse_ident($1) as ours, parse_ident(format($2, $3::text)) as theirs',
          [pg.escapeIdentifier(name), '%I', name],
        );
        expect(rows).toEqual([{ ours: [name], theirs: [name] }]);
      },
    ),
    { numRuns: 200 },
  );
});
