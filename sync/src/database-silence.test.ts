/** The portal's database swallows the bytes of all connections, or sends them one by one. */
import { listIntegrations } from '@portal/contract/sync/integration';
import { type ByteRelay, startByteRelay } from '@portal/kit/byte-relay.fixture';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ScriptedEngine } from './scripted-engine.fixture.ts';
import { configFor, createSyncDatabase, grain, startTestService } from './service.fixture.ts';
import { quickRetryLimits } from './service-config.fixture.ts';
import { portalSilenceLimits } from './setup/service-parts.ts';

const until = (state: () => unknown) => vi.waitUntil(state, { timeout: 60_000, interval: 20 });

test.each([
  ['silent', (relay: ByteRelay) => relay.swallow()],
  ['sending byte by byte', (relay: ByteRelay) => relay.dribble(300)],
])('stops what runs while the database is %s, and runs it again on new connections', async (_how, fall) => {
  const database = await createSyncDatabase();
  const relay = await startByteRelay(Number(new URL(database.url).port));
  const url = Object.assign(new URL(database.url), { hostname: '127.0.0.1', port: `${relay.port}` }).href;
  const limits = { noticedMs: 200, deadMs: 1_000 };
  const test = await startTestService(url, new ScriptedEngine(), quickRetryLimits, url, limits);
  onTestFinished(async () => {
    await test.stop();
    await relay.stop();
    await database.drop();
  });
  await test.merge(configFor(grain), grain);
  await until(() => test.engine.running(grain.id).length === 1);
  const reports: boolean[] = [];
  test.parts.silence.listen((sinceMs) => reports.push(sinceMs !== null));

  const before = relay.connectionCount();
  fall(relay);
  await until(() => test.engine.running(grain.id).length === 0);
  // The first ones were closed, and attempts to open others end, too.
  await until(() => relay.connectionCount() >= before + 2);
  expect(reports[0]).toBe(true);
  relay.resume();
  await until(() => test.engine.running(grain.id).length === 1);
  await until(async () => (await test.call(listIntegrations, {})).status === 200);
  expect(reports.at(-1)).toBe(false);
});

test('leaves no connection to a silent database for more than 10 s', () => {
  expect(portalSilenceLimits.deadMs).toBeLessThanOrEqual(10_000);
});
