import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Caller, createCaller } from './deployment-caller.fixture.ts';
import type { Fault } from './journey-server.ts';
import type { JourneySimulator } from './simulator.ts';
import { smallDeployment } from './small-deployment.ts';
import { startTestJourney } from './test-simulator.ts';

let simulator: JourneySimulator;
let call: Caller;

beforeAll(async () => {
  simulator = await startTestJourney();
  call = createCaller(simulator.deployment(smallDeployment.id));
});
afterEach(() => simulator.faults.clear());
afterAll(() => simulator.stop({ dropDatabase: true }));

const info = () => call('GET', 'info.json');
const put = (id: string) => ({ method: 'put', object: { type: 'region', id, name: 'A' } });
const control = (method: string, path: string, body?: unknown) =>
  fetch(`${simulator.baseUrl}/simulator/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

describe('Journey simulator faults', () => {
  it.each<Fault['mode']>(['refuse', 'drop', 'half-body'])('runs %s and loses the response', async (mode) => {
    simulator.faults.set({ mode, times: 1 });
    await expect(info()).rejects.toThrow();
    expect((await info()).status).toBe(200);
  });

  it('loses the response of a batch whether it ran or not', async () => {
    const [done, undone] = [randomUUID(), randomUUID()];
    simulator.faults.set({ mode: 'drop', path: 'batch', times: 1 });
    await expect(call('POST', 'batch.json', { operations: [put(done)] })).rejects.toThrow();
    simulator.faults.set({ mode: 'refuse', path: 'batch', times: 1 });
    await expect(call('POST', 'batch.json', { operations: [put(undone)] })).rejects.toThrow();
    expect((await call('GET', `objects/region/${done}.json`)).status).toBe(200);
    expect((await call('GET', `objects/region/${undone}.json`)).status).toBe(404);
  });

  it('runs half of a batch', async () => {
    const ids = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    simulator.faults.set({ mode: 'half-batch', times: 1 });
    expect((await call('POST', 'batch.json', { operations: ids.map(put) })).status).toBe(500);
    const found = await Promise.all(ids.map((id) => call('GET', `objects/region/${id}.json`)));
    expect(found.map(({ status }) => status)).toEqual([200, 200, 404, 404]);
  });

  it.each<[Fault, number, string]>([
    [{ mode: 'html' }, 200, '<!doctype html>'],
    [{ mode: 'html', status: 503 }, 503, '<!doctype html>'],
    [{ mode: 'error500' }, 500, 'INTERNAL_SERVER_ERROR'],
    [{ mode: 'error500', status: 502 }, 502, 'INTERNAL_SERVER_ERROR'],
    [{ mode: 'unauthorized' }, 401, 'HTTP Basic: Access denied.'],
    [{ mode: 'too-many-requests' }, 429, 'TOO_MANY_REQUESTS'],
    [{ mode: 'delay', delayMs: 1 }, 200, 'Farmers, testing'],
  ])('responds to %j with status %i', async (fault, status, words) => {
    simulator.faults.set(fault);
    const response = await info();
    expect(response).toMatchObject({ status, text: expect.stringContaining(words) });
  });

  it('hangs until the client gives up', async () => {
    simulator.faults.set({ mode: 'hang' });
    const signal = AbortSignal.timeout(50);
    await expect(fetch(`${simulator.deployments[0]?.url}/info.json`, { signal })).rejects.toThrow('timeout');
  });

  it('affects the requested calls only, as often as requested', async () => {
    simulator.faults.set({ mode: 'error500', path: 'info', skip: 1, times: 2 }, { mode: 'error500', method: 'DELETE' });
    expect((await call('GET', 'datamodel.json')).status).toBe(200);
    expect((await call('DELETE', `objects/region/${randomUUID()}.json`)).status).toBe(500);
    const statuses = [await info(), await info(), await info(), await info()].map(({ status }) => status);
    expect(statuses).toEqual([200, 500, 500, 200]);
  });

  it('accepts fault changes from this machine', async () => {
    expect(await (await control('PUT', 'faults', { mode: 'error500', times: 2 })).json()).toEqual([
      { mode: 'error500', times: 2 },
    ]);
    expect((await info()).status).toBe(500);
    expect(await (await control('GET', 'faults')).json()).toEqual([{ mode: 'error500', times: 1 }]);
    expect(await (await control('PUT', 'faults', null)).json()).toEqual([]);
    expect((await info()).status).toBe(200);
    expect((await control('PUT', 'faults', { mode: 'earthquake' })).status).toBe(400);
  });
});

describe('Journey simulator controls', () => {
  it('change settings, edit as a device, play edits, and drop the op-log', async () => {
    const path = `deployments/${smallDeployment.id}`;
    await control('PUT', `${path}/settings`, { clockSkewMs: 3_600_000 });
    const id = randomUUID();
    const edited = await control('POST', `${path}/edit`, { operations: [put(id)] });
    expect(await edited.json()).toMatchObject([{ success: true, id }]);
    const { updated_at } = (await call('GET', `objects/region/${id}.json`)).body;
    expect(Date.parse(updated_at) - Date.now()).toBeGreaterThan(3_000_000);
    await control('PUT', `${path}/settings`, { clockSkewMs: 0 });
    expect(await (await control('POST', `${path}/play`, { count: 3 })).json()).toHaveLength(3);
    expect(await (await control('POST', `${path}/drop-op-log`, { keep: 1 })).json()).toEqual({
      dropped: expect.any(Number),
    });
    expect((await call('GET', 'oplog.json?start=0')).body.entries).toHaveLength(1);
    expect((await control('POST', 'deployments/ffff/play', { count: 1 })).status).toBe(404);
  });

  it('close every connection', async () => {
    const socket = connect(simulator.port, '127.0.0.1');
    await once(socket, 'connect');
    simulator.faults.set({ mode: 'hang', times: 1 });
    socket.write(`GET /api/v4/${smallDeployment.id}/info.json HTTP/1.1\r\nHost: x\r\n\r\n`);
    await vi.waitUntil(() => simulator.faults.list().length === 0, 60_000);
    simulator.cutConnections();
    await once(socket, 'close');
  });
});
