import { once } from 'node:events';
import { request as call } from 'node:http';
import { PassThrough } from 'node:stream';
import { listIntegrations } from '@portal/contract/sync/integration';
import { createSendProblem, sendProblems } from '@portal/edge/send-problems';
import { fastify } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { route } from './route.ts';
import { serviceWords } from './service-words.ts';

it('does not report a disconnected caller as a bug', async () => {
  const logStream = new PassThrough();
  const app = fastify({ logger: { level: 'info', stream: logStream } });
  onTestFinished(() => app.close());
  sendProblems(app, createSendProblem(serviceWords));
  route(app, listIntegrations, async ({ signal }) => {
    caller.destroy();
    await once(signal, 'abort');
    throw signal.reason;
  });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const headers = { 'x-portal-user': 'a', 'x-portal-environment': 'b', 'content-type': 'application/json' };
  const caller = call(`${address}/api/list`, { method: 'POST', headers }).on('error', () => undefined);
  caller.end('{}');
  let log = '';
  for await (const line of logStream) {
    log += line;
    if (/refused|a bug/.test(log)) break;
  }
  expect(log).toContain('The caller disconnected.');
  expect(log).not.toContain('unexpected error');
});
