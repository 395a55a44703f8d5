import { createTestDatabase } from '@portal/kit/postgres/test-database';
import { fastify } from 'fastify';
import pg from 'pg';
import { expect, it } from 'vitest';
import { createSendProblem, sendProblems } from './send-problems.ts';

it("a statement timeout in the portal's database is reported as such, not as an internal error", async () => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url, statement_timeout: 10 });
  await client.connect();
  const app = fastify();
  const words = { name: 'The portal', database: "The portal's database", log: 'the log' };
  sendProblems(app, createSendProblem(words));
  app.get('/slow', () => client.query('select pg_sleep(60)'));
  const response = await app.inject('/slow');
  await app.close();
  await client.end();
  await database.drop();
  expect(response.statusCode).toBe(504);
  expect(response.json()).toMatchObject({
    kind: 'unreachable',
    message: "The portal's database took too long. Request less data, or try again.",
  });
});
