import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedSyncService } from '../../testing/scripted-sync-service.ts';
import { startTestServer } from '../../testing/test-server.ts';

async function startServer(sync: { url: string; token: string }, databaseDirectUrl?: string) {
  const server = await startTestServer({
    environments: [{ name: 'Production', baseUrl: 'http://127.0.0.1:1', dataSources: [] }],
    sync,
    databaseDirectUrl,
  });
  onTestFinished(() => server.stop());
  return async (path = '/readyz') => {
    const { status, text } = await server.client().send('GET', path);
    return { status, ...JSON.parse(text) };
  };
}

const limit = { timeout: 100_000 };
const allIsWell = { status: 200, ready: true, reasons: [], unavailable: [] };
const withoutSync = { ...allIsWell, unavailable: ['the sync service'] };

it('the server stays ready without the sync service, and names it', async () => {
  const service = await startScriptedSyncService();
  const readReadiness = await startServer(service.sync);
  await expect.poll(readReadiness, limit).toEqual(allIsWell);
  await service.stop();
  await expect.poll(readReadiness, limit).toEqual(withoutSync);
});

it('a silent sync service is named, and probed once for many readiness checks', async () => {
  const probes: Socket[] = [];
  const silent = createServer((socket) => void probes.push(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => {
    for (const socket of probes) socket.destroy();
    silent.close();
  });
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const readReadiness = await startServer({ url: `http://127.0.0.1:${port}`, token: 'let-the-portal-in' });
  // None of them waits until the probe fails.
  expect(await Promise.all(Array.from({ length: 10 }, () => readReadiness()))).toEqual(Array(10).fill(allIsWell));
  expect(probes).toHaveLength(1);
  await expect.poll(readReadiness, limit).toEqual(withoutSync);
});

it('the server stays healthy and ready while no notifications are delivered, and warns of it', async () => {
  // In another database, nothing is heard, as behind a pooler.
  const read = await startServer({ url: 'http://127.0.0.1:1', token: 'let-the-portal-in' }, getTestPostgresUrl());
  const warned = { status: 'ok', warnings: [expect.stringContaining('Set databaseDirectUrl')] };
  await expect.poll(() => read('/healthz'), limit).toEqual(warned);
  expect(await read()).toMatchObject({ status: 200, ready: true });
});
