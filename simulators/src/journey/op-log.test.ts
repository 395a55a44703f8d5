import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, createCaller } from './deployment-caller.fixture.ts';
import type { JourneySimulator } from './simulator.ts';
import { smallDeployment } from './small-deployment.ts';
import { startTestJourney } from './test-simulator.ts';

/** Ten digits more than a double can represent. */
const firstId = '9007199254741993';
const beyond = { ...smallDeployment, id: '5f1a2b3c4d5e6f7081920a0c', firstSequence: firstId };

let simulator: JourneySimulator;
let call: Caller;
let callBeyond: Caller;

beforeAll(async () => {
  simulator = await startTestJourney({ deployments: [smallDeployment, beyond] });
  call = createCaller(simulator.deployment(smallDeployment.id));
  callBeyond = createCaller(simulator.deployment(beyond.id));
});
afterAll(() => simulator.stop({ dropDatabase: true }));

const region = (name: string, id: string = randomUUID()) => ({ method: 'put', object: { type: 'region', id, name } });
const names = (entries: { object: { name: string } }[]) => entries.map(({ object }) => object.name);
/** The number of the next write. */
const head = async () => {
  const { entries } = (await call('GET', 'oplog.json?tail=true&limit=1')).body;
  return entries.length === 0 ? 1 : entries[0].sequence + 1;
};

describe('simulated op-log', () => {
  it('contains each effective write once, in order, from any origin, with the resulting state', async () => {
    const start = await head();
    const id = randomUUID();
    const path = `objects/region/${id}.json`;
    const created = await call('PUT', path, { region: { name: 'A' } });
    await call('PUT', path, { region: { name: 'A' } });
    await call('PATCH', path, { region: { name: 'A' } });
    await simulator.deployments[0]?.device.edit({ method: 'patch', object: { type: 'region', id, name: 'B' } });
    await call('DELETE', path);
    const { body } = await call('GET', `oplog.json?start=${start}`);
    const updated_at = expect.stringMatching(/Z$/);
    expect(body).toEqual({
      entries: [
        { sequence: start, operation: 'create', object: created.body },
        {
          sequence: start + 1,
          operation: 'update',
          object: { id, type: 'region', updated_at, display: 'B', name: 'B' },
        },
        { sequence: start + 2, operation: 'delete', object: { id, type: 'region', updated_at } },
      ],
      datamodel_hash: (await call('GET', 'datamodel.json')).body.datamodel_hash,
    });
  });

  it('pages by number and by next start', async () => {
    const start = await head();
    await call('POST', 'batch.json', { operations: ['a', 'b', 'c', 'd', 'e'].map((name) => region(name)) });
    const page = async (query: string) => (await call('GET', `oplog.json?${query}`)).body;
    expect(names((await page(`start=${start}&end=${start + 3}`)).entries)).toEqual(['a', 'b', 'c']);
    expect(names((await page(`start=${start + 1}&limit=2`)).entries)).toEqual(['b', 'c']);
    expect(names((await page('tail=true&limit=2')).entries)).toEqual(['d', 'e']);
    expect((await page(`start=${start + 5}`)).entries).toEqual([]);

    const first = await page(`start=${start}&limit=3&sequence_ids=true`);
    expect(first).toMatchObject({ has_more: true, next_request_start: String(start + 3) });
    expect(first.entries[0]).toEqual({
      sequence_id: String(start),
      app_id: null,
      operation: 'create',
      events: [],
      object: expect.objectContaining({ name: 'a' }),
    });
    const last = await page(`start=${first.next_request_start}&limit=3&sequence_ids=true`);
    expect(last).toMatchObject({ has_more: false, next_request_start: String(start + 5) });
    expect(names(last.entries)).toEqual(['d', 'e']);
    const none = await page(`start=${start + 5}&limit=3&sequence_ids=true`);
    expect(none).toMatchObject({ entries: [], has_more: false, next_request_start: String(start + 5) });
  });

  it('returns 400 entries by default and never more than 1000', async () => {
    for (const part of ['a', 'b'])
      await call('POST', 'batch.json', { operations: Array.from({ length: 600 }, (_, at) => region(`${part}${at}`)) });
    const count = async (query: string) => (await call('GET', `oplog.json?start=0&${query}`)).body.entries.length;
    expect(await count('')).toBe(400);
    expect(await count('limit=401')).toBe(401);
    expect(await count('limit=5000')).toBe(1000);
    expect(await count('tail=true')).toBe(400);
  });

  it.each(['', 'start=x', 'start=-1', 'start=9223372036854775808', 'start=0&limit=0'])(
    'rejects "%s"',
    async (query) => {
      expect(await call('GET', `oplog.json?${query}`)).toMatchObject({
        status: 400,
        body: { type: 'INVALID_API_REQUEST' },
      });
    },
  );

  it('keeps every digit beyond 2^53, as integers and as text', async () => {
    await callBeyond('POST', 'batch.json', { operations: ['a', 'b', 'c'].map((name) => region(name)) });
    const { text } = await callBeyond('GET', `oplog.json?start=${firstId}`);
    expect([...text.matchAll(/"sequence":(\d+)/g)].map(([, sequence]) => sequence)).toEqual([
      firstId,
      '9007199254741994',
      '9007199254741995',
    ]);
    const { body } = await callBeyond('GET', 'oplog.json?start=9007199254741994&sequence_ids=true');
    expect(body).toMatchObject({
      entries: [{ sequence_id: '9007199254741994' }, {}],
      next_request_start: '9007199254741996',
    });
  });

  it('shows concurrent entries in the order of their numbers without gaps', async () => {
    const start = await head();
    const writers = Array.from({ length: 8 }, (_, writer) =>
      call('POST', 'batch.json', { operations: Array.from({ length: 20 }, (_, at) => region(`${writer}-${at}`)) }),
    );
    const seen: number[] = [];
    let next = start;
    while (seen.length < 160) {
      const { entries } = (await call('GET', `oplog.json?start=${next}&limit=7`)).body;
      for (const { sequence } of entries) seen.push(sequence);
      next = (seen.at(-1) ?? start - 1) + 1;
    }
    await Promise.all(writers);
    expect(seen).toEqual(Array.from({ length: 160 }, (_, at) => start + at));
  });

  it('drops its oldest entries when requested', async () => {
    const handle = simulator.deployment(beyond.id);
    expect(await handle.dropOpLog({ keep: 1 })).toBe(2);
    const { body } = await callBeyond('GET', 'oplog.json?start=0&sequence_ids=true');
    expect(body.entries).toMatchObject([{ sequence_id: '9007199254741995' }]);
    expect(await handle.dropOpLog({ keep: 5 })).toBe(0);
  });

  it('counts writes from the API and from devices', async () => {
    const handle = simulator.deployment(beyond.id);
    const before = await handle.writes();
    await handle.device.edit({ method: 'put', object: { type: 'region', id: randomUUID(), name: 'D' } });
    await callBeyond('POST', 'objects/region.json', { region: { name: 'E' } });
    expect(await handle.writes()).toEqual({ api: before.api + 1, device: before.device + 1 });
  });
});

describe('faulty op-log pages', () => {
  const sequences = async (query: string) => {
    const { entries } = (await call('GET', `oplog.json?${query}`)).body;
    return entries.map(({ sequence }: { sequence: number }) => sequence);
  };

  it('repeat, overlap, or arrive out of order', async () => {
    const start = await head();
    await call('POST', 'batch.json', { operations: ['a', 'b', 'c', 'd'].map((name) => region(name)) });
    expect(await sequences(`start=${start}&limit=2`)).toEqual([start, start + 1]);
    simulator.faults.set({ mode: 'repeat-page', times: 1 });
    expect(await sequences(`start=${start + 2}&limit=2`)).toEqual([start, start + 1]);
    expect(await sequences(`start=${start + 2}&limit=2`)).toEqual([start + 2, start + 3]);
    simulator.faults.set({ mode: 'overlap-page', times: 1 });
    expect(await sequences(`start=${start + 2}`)).toContain(start + 1);
    simulator.faults.set({ mode: 'reorder-page', times: 1 });
    expect(await sequences(`start=${start}`)).toEqual([start + 3, start + 2, start + 1, start]);
    expect(simulator.faults.list()).toEqual([]);
  });
});
