import { createTestDatabase } from '@portal/kit/postgres/test-database';
import { fastify } from 'fastify';
import pg from 'pg';
import { expect, it } from 'vitest';
import { handleProblems } from './handle-problems.ts';

it('a statement of the portal’s own database that takes too long is told as such, and is no bug', async () => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url, statement_timeout: 10 });
  await client.connect();
  const app = fastify();
  handleProblems(app);
  app.get('/slow', () => client.query('select pg_sleep(60)'));
  const response = await app.inject('/slow');
  await app.close();
  await client.end();
  await database.drop();
  expect(response.statusCode).toBe(504);
  expect(response.json()).toMatchObject({
    kind: 'unreachable',
    message: "The portal's database took too long for this. Ask for less, or try again.",
  });
});
