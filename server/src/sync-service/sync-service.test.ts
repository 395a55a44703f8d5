import { setTimeout as wait } from 'node:timers/promises';
import { auditDrift } from '@portal/contract/sync/drift';
import { listIntegrations } from '@portal/contract/sync/integration';
import { Unreachable } from '@portal/kit/problems';
import { Secret } from '@portal/kit/secret';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ScriptedSyncService, startScriptedSyncService } from '../testing/scripted-sync-service.ts';
import { SyncService } from './sync-service.ts';

const actor = { username: 'José 🚜', environment: { name: 'Ünder' }, origin: { requestId: 'r-1' } };
let scripted: ScriptedSyncService;

beforeAll(async () => {
  scripted = await startScriptedSyncService();
});
afterAll(() => scripted.stop());

const serviceWith = (timeoutMs: number) =>
  new SyncService({ url: `${scripted.url}/`, token: new Secret(scripted.sync.token), timeoutMs });

it('waits for a slow service, but not forever', async () => {
  scripted.script('POST /api/list', (_, reply) => void reply.hijack());
  const problem = await serviceWith(50)
    .call(actor, listIntegrations)
    .catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(Unreachable);
  expect(problem).toMatchObject({ status: 504, message: 'The sync service did not respond within 0.05 s.' });
});

it('times out when the service starts a response but never completes it', async () => {
  scripted.script('POST /api/list', (_, reply) => {
    reply.hijack();
    reply.raw.writeHead(200).write('[');
  });
  await expect(serviceWith(50).call(actor, listIntegrations)).rejects.toMatchObject({ status: 504 });
});

it('waits longer for calls that are known to take longer', async () => {
  scripted.script('POST /api/list', () => wait(200, []));
  await expect(serviceWith(50).call(actor, listIntegrations)).rejects.toMatchObject({ status: 504 });
  expect(await serviceWith(50).call(actor, listIntegrations, { timeoutMs: 20_000 })).toEqual([]);
});

it("ends when its caller aborts, with the caller's reason", async () => {
  const caller = new AbortController();
  scripted.script('POST /api/list', (_, reply) => {
    reply.hijack();
    caller.abort(new Error('gone'));
  });
  const { signal } = caller;
  await expect(serviceWith(30_000).call(actor, listIntegrations, { signal })).rejects.toThrow('gone');
});

it('encodes users and environments in any alphabet', async () => {
  scripted.script('POST /api/audit-drift', () => ({ message: 'Comparing.' }));
  expect(await serviceWith(30_000).call(actor, auditDrift, { payload: { appId: 'a' } })).toEqual({
    message: 'Comparing.',
  });
  const headers = scripted.calls.at(-1)?.headers;
  expect(decodeURIComponent(String(headers?.['x-portal-user']))).toBe('José 🚜');
  expect(headers).toMatchObject({ 'x-portal-environment': '%C3%9Cnder', 'x-request-id': 'r-1' });
});
