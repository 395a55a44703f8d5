import { type ByteRelay, startByteRelay } from '@portal/kit/byte-relay.fixture';
import { Secret } from '@portal/kit/secret';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createJourneyClient } from './client.ts';
import { hang, json, type ScriptedServer, startScriptedServer } from './scripted-server.fixture.ts';
import { defaultSilenceTiming } from './silent-calls.ts';

const quick = { probeAfterMs: 50, probeEveryMs: 20, suspectMs: 0 };
const until = (state: () => unknown) => vi.waitUntil(state, { timeout: 60_000, interval: 10 });

let server: ScriptedServer;
let relay: ByteRelay;
beforeEach(async () => {
  server = await startScriptedServer();
  relay = await startByteRelay(Number(new URL(server.origin).port));
});
afterEach(async () => {
  await relay.stop();
  await server.stop();
});

const createClient = (probeMs: number) =>
  createJourneyClient({
    baseUrl: `http://127.0.0.1:${relay.port}`,
    userName: '5f0c1d2e3a4b5c6d7e8f9a0b',
    password: new Secret('secret'),
    timeoutMs: 3_600_000,
    silence: { ...quick, firstProbeMs: probeMs, probeMs },
  });

it('ends a call whose connection died once new connections are answered again, long before its time-out', async () => {
  server.play(json({ count: 1 }));
  const client = createClient(200);
  // On a busy machine, a probe may take too long.
  const isAnswered = () =>
    client.count('farmer').then(
      () => true,
      () => false,
    );
  await until(isAnswered);
  relay.swallow();
  const call = client.count('farmer');
  const failed = expect(call).rejects.toMatchObject({
    failure: { kind: 'no-response', timedOut: true },
    message: expect.stringMatching(/did not respond to GET .*, and responds to new calls again\.$/),
  });
  const connections = relay.connectionCount();
  await until(() => relay.connectionCount() >= connections + 2);
  relay.resume();
  await failed;
  await until(isAnswered);
});

it('leaves a slow call alone while its probes are answered', async () => {
  const ending = new AbortController();
  server.play(hang, json({}));
  const call = createClient(60_000).count('farmer', { signal: ending.signal });
  const failed = expect(call).rejects.toThrow('no longer needed');
  await until(() => server.seen.filter(({ path }) => path.endsWith('/info.json')).length >= 3);
  ending.abort(new Error('no longer needed'));
  await failed;
});

it('finds calls whose connections died within 10 s of the end of a silence', () => {
  const { probeAfterMs, probeEveryMs, firstProbeMs, probeMs } = defaultSilenceTiming;
  expect(probeAfterMs + firstProbeMs).toBeLessThanOrEqual(10_000);
  expect(2 * probeMs + probeEveryMs).toBeLessThanOrEqual(10_000);
});
