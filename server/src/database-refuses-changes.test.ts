import { addEntryPoint } from '@portal/contract/app-config';
import { getApps } from '@portal/contract/apps';
import { getAudit } from '@portal/contract/audit';
import { getSession } from '@portal/contract/session';
import { saveSyncDashboard } from '@portal/contract/sync/dashboards';
import { withClient } from '@portal/kit/postgres/pool';
import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type SmallWorld, startSmallWorld } from './testing/small-world.ts';
import { parseProblem, type TestClient } from './testing/test-client.ts';

let database: TestDatabase;
let world: SmallWorld;
let client: TestClient;
let appId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  world = await startSmallWorld({ databaseUrl: database.url });
  appId = world.helium.app('Clinic Visits').id;
  client = await world.server.signIn('demo', 'demo');
});
afterEach(() => void vi.useRealTimers());
afterAll(async () => {
  await world.stop();
  await database.drop();
});

async function countEntries(search: string): Promise<number> {
  return JSON.parse((await client.attempt(getAudit, { search })).text).entries.length;
}

async function readReadiness() {
  const { status, text } = await world.server.client().send('GET', '/readyz');
  return { status, body: JSON.parse(text) };
}

/** Makes every change of the sessions and the audit trail fail with the error code. */
async function failChanges(code: string, message: string): Promise<void> {
  await query(`create function fail() returns trigger language plpgsql as
    $$ begin raise exception sqlstate '${code}' using message = '${message}'; end $$`);
  for (const table of ['session', 'audit_entry', 'sync_dashboard'])
    await query(`create trigger fail before insert or update on ${table} execute function fail()`);
}

async function query(sql: string): Promise<void> {
  await withClient({ connectionString: database.url }, (admin) => admin.query(sql));
}

const signIn = () => {
  const credentials = { userName: 'demo', password: 'demo' };
  return world.server.client().attempt(getApps, { credentials, baseUrl: world.baseUrl });
};

/** Polls, because the first calls may find a connection that was just closed. */
async function expectRefusal(message: string): Promise<void> {
  const refused = { status: 503, kind: 'unreachable', message };
  const save = () => client.attempt(saveSyncDashboard, { name: 'Mine', appIds: [appId] });
  for (const change of [signIn, save]) {
    const attempt = async () => {
      const response = await change();
      return { status: response.status, ...parseProblem(response) };
    };
    await expect.poll(attempt, limit).toMatchObject(refused);
  }
}

const limit = { timeout: 100_000 };

describe('database that accepts no changes', () => {
  it('a read-only database is reported in words, readings continue, and no audit entry is lost', async () => {
    const message = "The portal's database accepts no changes at the moment (it is read-only).";
    await database.setReadOnly(true);
    await expectRefusal(message);
    const notReady = { status: 503, body: { ready: false, reasons: [message] } };
    await expect.poll(readReadiness, limit).toMatchObject(notReady);
    await expect.poll(async () => (await client.attempt(getSession, undefined)).status, limit).toBe(200);
    await expect.poll(async () => (await client.attempt(getAudit, {})).status, limit).toBe(200);
    await client.call(addEntryPoint, { appId, entryPoint: 'Nightly:frozen', duration: 15 });

    await database.setReadOnly(false);
    await expect.poll(readReadiness, limit).toMatchObject({ status: 200, body: { ready: true, reasons: [] } });
    await expect.poll(async () => (await signIn()).status, limit).toBe(200);
    await expect.poll(() => countEntries('Nightly:frozen'), limit).toBe(1);
  });

  it('a statement that fills the disk with temporary files does not make the server unready', async () => {
    await failChanges('53100', 'could not write to file "base/pgsql_tmp/pgsql_tmp123.0": No space left on device');
    await expectRefusal("The portal's database accepts no changes at the moment (its disk is full).");
    expect(await readReadiness()).toMatchObject({ status: 200, body: { ready: true } });
    await query('drop function fail cascade');
  });

  it('a full disk is reported in words and remembered for a minute, and no audit entry is lost', async () => {
    const message = "The portal's database accepts no changes at the moment (its disk is full).";
    await failChanges('53100', 'could not extend file');
    await expectRefusal(message);
    expect((await client.attempt(getSession, undefined)).status).toBe(200);
    expect(await readReadiness()).toMatchObject({ status: 503, body: { ready: false, reasons: [message] } });
    await client.call(addEntryPoint, { appId, entryPoint: 'Nightly:full', duration: 15 });

    await query('drop function fail cascade');
    await expect.poll(() => countEntries('Nightly:full'), limit).toBe(1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    expect(await readReadiness()).toMatchObject({ status: 200, body: { ready: true, reasons: [] } });
  });
});
