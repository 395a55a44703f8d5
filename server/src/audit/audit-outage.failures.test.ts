import { addEntryPoint } from '@portal/contract/app-config';
import { getAudit } from '@portal/contract/audit';
import { createCalendarFeed, revokeCalendarFeed } from '@portal/contract/deployments';
import { withBase } from '@portal/contract/sync/base';
import { getConflictFile } from '@portal/contract/sync/conflicts';
import { revealPassword } from '@portal/contract/sync/integration';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ScriptedSyncService, startScriptedSyncService } from '../testing/scripted-sync-service.ts';
import { type SmallWorld, startSmallWorld } from '../testing/small-world.ts';
import { parseProblem, type TestClient } from '../testing/test-client.ts';
import type { Actor } from './audit-trail.ts';
import { WriteQueue } from './write-queue.ts';

let service: ScriptedSyncService;
let world: SmallWorld;
let client: TestClient;
let appId: string;

beforeAll(async () => {
  service = await startScriptedSyncService();
  world = await startSmallWorld({ sync: service.sync, roles: [{ role: 'admin', users: ['demo'] }] });
  client = await world.server.signIn('demo', 'demo');
  appId = world.helium.app('Clinic Visits').id;
});
afterEach(async () => {
  vi.useRealTimers();
  await query('drop function if exists fail cascade');
});
afterAll(async () => {
  await world.stop();
  await service.stop();
});

const query = (sql: string) => world.server.dependencies.pool.query(sql);

/** Makes the trail refuse every entry with the error code. */
async function failEntries(code: string): Promise<void> {
  await query(`create or replace function fail() returns trigger language plpgsql as
    $$ begin raise exception sqlstate '${code}' using message = 'no'; end $$`);
  await query('create trigger fail before insert on audit_entry for each row execute function fail()');
}

const countEntries = async (action: string) => (await client.call(getAudit, { action })).entries.length;

const limit = { timeout: 100_000 };

describe('what is revealed', () => {
  const notShown = 'Nothing is shown, because the audit trail cannot be written. Try again in a minute.';

  it('is not shown if it cannot be recorded: a Journey password', async () => {
    service.script('POST /api/reveal-password', () => ({ password: 'open sesame' }));
    await failEntries('53100');
    const response = await client.attempt(withBase('/sync/api/', revealPassword), { appId });
    expect([response.status, parseProblem(response).message]).toEqual([503, notShown]);
    expect(response.text).not.toContain('sesame');
  });

  it('is not shown if it cannot be recorded: a file of a conflict', async () => {
    let isClosed = false;
    service.script(`GET /api/conflict-file/${appId}`, (_, reply) => {
      reply.raw.on('close', () => {
        isClosed = true;
      });
      return reply.headers({ 'x-file-name': 'a.txt' }).send(Buffer.alloc(4_000_000, 'secret '));
    });
    await failEntries('53100');
    const endpoint = withBase('/sync/api/', getConflictFile);
    const path = { ...endpoint, path: endpoint.path.replace(':appId', appId) as `/${string}` };
    const response = await client.attempt(path, { no: '12' });
    expect([response.status, parseProblem(response).message]).toEqual([503, notShown]);
    expect(response.text).not.toContain('secret');
    await expect.poll(() => isClosed).toBe(true);
  });
});

describe('a trail that cannot be written', () => {
  it.each(['53100', '53200', '25006', '57014'])('is waited for after error %s, and nothing is lost', async (code) => {
    const { audit } = world.server.dependencies;
    await failEntries(code);
    await audit.write(actor, { action: `test.${code}`, description: 'd', outcome: 'done' });
    await audit.write(actor, { action: `test.${code}`, description: 'd', outcome: 'refused', reason: 'r' });
    await query('drop function fail cascade');
    await expect.poll(() => countEntries(`test.${code}`), limit).toBe(2);
  });

  it('refuses changes after a minute, until it can be written', async () => {
    await failEntries('53100');
    const change = (duration: number) => client.attempt(addEntryPoint, { appId, entryPoint: 'Nightly:full', duration });
    expect((await change(15)).status).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    const response = await change(20);
    expect([response.status, parseProblem(response).message]).toEqual([
      503,
      'Nothing was changed, because the audit trail cannot be written. Try again in a minute.',
    ]);
    for (const ownChange of [createCalendarFeed, revokeCalendarFeed])
      expect((await client.attempt(ownChange, undefined)).status).toBe(503);
    expect((await client.send('GET', '/readyz')).text).toContain('(the audit trail cannot be written)');
    await query('drop function fail cascade');
    await expect.poll(async () => (await change(20)).status, limit).toBe(200);
  });

  it('counts the entries that could not wait in an entry of its own', async () => {
    const { pool, logger } = world.server.dependencies;
    const queue = new WriteQueue(pool, logger, { maxForChanges: 2, maxWaitMs: 60_000, maxWaiting: 3 });
    await failEntries('53100');
    for (let index = 0; index < 5; index++) {
      expect(queue.isBackedUp).toBe(index >= 2);
      await queue.write({ ...entry, description: `entry ${index}` });
    }
    await query('drop function fail cascade');
    await queue.stop();
    expect(queue.isBackedUp).toBe(false);
    expect(await countEntries('test.queue')).toBe(3);
    const { entries } = await client.call(getAudit, { action: 'audit.gap' });
    expect(entries.map(({ description }) => description)).toEqual([
      'Entries that could not be stored: 2. The log has them as "gave up an audit entry".',
    ]);
    expect(world.server.logged()).toContain('gave up an audit entry');
  });
});

const actor: Actor = {
  username: 'demo',
  environment: { name: 'Production' },
  origin: { address: '127.0.0.1', userAgent: null, requestId: 'r' },
  sessionId: null,
};

const entry = {
  at: new Date(),
  username: 'demo',
  environment: 'Production',
  sessionId: null,
  action: 'test.queue',
  resourceKind: null,
  resource: null,
  resourceName: null,
  before: null,
  after: null,
  outcome: 'done',
  reason: null,
  address: null,
  userAgent: null,
  requestId: null,
} as const;
