import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, createCaller } from './deployment-caller.fixture.ts';
import type { JourneySimulator } from './simulator.ts';
import { smallDeployment } from './small-deployment.ts';
import { startTestJourney } from './test-simulator.ts';

let simulator: JourneySimulator;
let call: Caller;

beforeAll(async () => {
  simulator = await startTestJourney();
  call = createCaller(simulator.deployment(smallDeployment.id));
});
afterAll(() => simulator.stop({ dropDatabase: true }));

const put = (id: string, fields = {}) => ({ method: 'put', object: { type: 'farmer', id, ...fields } });
const patch = (id: string, fields = {}) => ({ method: 'patch', object: { type: 'farmer', id, ...fields } });
const remove = (id: string) => ({ method: 'delete', object: { type: 'farmer', id } });
const post = (fields = {}) => ({ method: 'post', object: { type: 'farmer', ...fields } });
const batch = (operations: unknown, stopOnError = false) =>
  call('POST', 'batch.json', { stop_on_error: stopOnError, operations });
const get = (id: string) => call('GET', `objects/farmer/${id}.json`);
const logged = async () => (await call('GET', 'oplog.json?start=0&limit=1000')).body.entries.length;

describe('simulated batch', () => {
  it('returns the result of each operation in order and continues after a failure', async () => {
    const id = randomUUID();
    const { status, body } = await batch([
      put(id, { name: 'A' }),
      patch(randomUUID()),
      patch(id, { age: 'x' }),
      post({ name: 'B' }),
    ]);
    expect(status).toBe(200);
    expect(body).toEqual({
      stop_on_error: false,
      operations: [
        { method: 'put', object: { type: 'farmer', id }, success: true },
        {
          method: 'patch',
          object: { type: 'farmer', id: expect.any(String) },
          success: false,
          error: expect.objectContaining({ type: 'OBJECT_NOT_FOUND' }),
        },
        {
          method: 'patch',
          object: { type: 'farmer', id },
          success: false,
          error: expect.objectContaining({ type: 'INVALID_VALUE' }),
        },
        { method: 'post', object: { type: 'farmer', id: expect.stringMatching(/^[0-9a-f-]{36}$/) }, success: true },
      ],
    });
    expect((await get(body.operations[3].object.id)).body.name).toBe('B');
  });

  it('applies several operations on one object in order', async () => {
    const id = randomUUID();
    const before = await logged();
    const { body } = await batch([
      put(id, { name: 'A', age: 1 }),
      patch(id, { age: 2 }),
      remove(id),
      patch(id, { age: 3 }),
      post({ id, name: 'B' }),
      post({ id, name: 'C' }),
      put(id, { name: 'B' }),
    ]);
    expect(body.operations.map(({ success }: { success: boolean }) => success)).toEqual([
      true,
      true,
      true,
      false,
      true,
      false,
      true,
    ]);
    expect((await get(id)).body).toMatchObject({ name: 'B', age: null });
    // The last put changed nothing.
    expect(await logged()).toBe(before + 4);
  });

  it('leaves nothing of an object that was created and deleted', async () => {
    const id = randomUUID();
    await batch([put(id, { name: 'A' }), remove(id)]);
    expect((await get(id)).status).toBe(404);
  });

  it('stops at the first error when requested', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const { body } = await batch([put(first), remove(randomUUID()), put(second)], true);
    expect(body.operations.map(({ success }: { success: boolean }) => success)).toEqual([true, false, false]);
    expect(body.operations[2].error.type).toBe('OPERATION_SKIPPED');
    expect((await get(first)).status).toBe(200);
    expect((await get(second)).status).toBe(404);
  });

  it.each([
    ['without a method', [{ object: { type: 'farmer', id: randomUUID() } }]],
    ['with an unknown method', [{ method: 'get', object: { type: 'farmer', id: randomUUID() } }]],
    ['without an object', [{ method: 'put' }]],
    ['without an id', [{ method: 'put', object: { type: 'farmer' } }]],
    ['that is not a list', { method: 'put' }],
  ])('runs nothing for a batch %s', async (_what, operations) => {
    const id = randomUUID();
    const wrong = Array.isArray(operations) ? [put(id), ...operations] : operations;
    expect(await batch(wrong)).toMatchObject({ status: 400, body: { type: 'INVALID_API_REQUEST' } });
    expect((await get(id)).status).toBe(404);
  });

  it('accepts a thousand operations and no more', async () => {
    const operations = Array.from({ length: 1000 }, (_, age) => put(randomUUID(), { age }));
    const before = (await call('GET', 'objects/farmer/count.json')).body.count;
    const { body } = await batch(operations);
    expect(body.operations.every(({ success }: { success: boolean }) => success)).toBe(true);
    expect((await call('GET', 'objects/farmer/count.json')).body.count).toBe(before + 1000);
    expect(await batch([...operations, put(randomUUID())])).toMatchObject({
      status: 400,
      body: { type: 'INVALID_API_REQUEST' },
    });
  });

  it('fails operations on unknown models and invalid ids separately', async () => {
    const { body } = await batch([
      { method: 'put', object: { type: 'nothing', id: randomUUID() } },
      put('NOT-AN-ID'),
      remove('NOT-AN-ID'),
      put(randomUUID()),
    ]);
    expect(body.operations.map(({ error }: { error?: { type: string } }) => error?.type)).toEqual([
      'INVALID_VALUE',
      'INVALID_VALUE',
      'OBJECT_NOT_FOUND',
      undefined,
    ]);
  });
});
