import { createTestDatabase } from '@portal/kit/postgres/test-database';
import { fastify } from 'fastify';
import pg from 'pg';
import { expect, it } from 'vitest';
import { createSendProblem, sendProblems } from './send-problems.ts';

const words = { name: 'The portal', database: "The portal's database", log: 'the log' };

it('an unexpected error is reported without its message and stack', async () => {
  const app = fastify();
  sendProblems(app, createSendProblem(words));
  app.get('/bug', () => {
    throw new Error('password authentication failed for user "portal" at 10.0.0.7');
  });
  const { statusCode, body } = await app.inject('/bug');
  await app.close();
  expect(statusCode).toBe(500);
  expect(JSON.parse(body)).toEqual({
    message: 'Internal error. Search the log for the request id.',
    requestId: 'req-1',
    kind: 'bug',
  });
});

it("a statement timeout in the portal's database is reported as such, not as an internal error", async () => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url, statement_timeout: 10 });
  await client.connect();
  const app = fastify();
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
