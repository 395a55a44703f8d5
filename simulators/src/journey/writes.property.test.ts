import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, createCaller } from './deployment-caller.fixture.ts';
import type { JourneySimulator } from './simulator.ts';
import { smallDeployment } from './small-deployment.ts';
import { startTestJourney } from './test-simulator.ts';

const twin = { ...smallDeployment, id: '5f1a2b3c4d5e6f7081920a0e' };
const ids = [1, 2, 3].map((number) => `33333333-3333-4333-8333-00000000000${number}`);

let simulator: JourneySimulator;
let call: Caller;
let callTwin: Caller;

beforeAll(async () => {
  simulator = await startTestJourney({ deployments: [smallDeployment, twin] });
  call = createCaller(simulator.deployment(smallDeployment.id));
  callTwin = createCaller(simulator.deployment(twin.id));
});
afterAll(() => simulator.stop({ dropDatabase: true }));

const operation = fc.record({
  method: fc.constantFrom('put', 'patch', 'delete', 'post'),
  id: fc.constantFrom(...ids),
  fields: fc.record(
    {
      name: fc.constantFrom('A', 'B', null),
      age: fc.constantFrom(1, 2, null, 'wrong'),
      active: fc.constantFrom(true, null),
      home: fc.constantFrom({ latitude: 1, longitude: 2 }, { longitude: 2, latitude: 1, altitude: null }, null),
      crops: fc.constantFrom(['tea'], [], null),
    },
    { requiredKeys: [] },
  ),
});
const operations = fc.array(operation, { minLength: 1, maxLength: 12 });
interface TestOperation {
  readonly method: string;
  readonly id: string;
  readonly fields: object;
}
const toBatch = (batch: readonly TestOperation[]) =>
  batch.map(({ method, id, fields }) => ({
    method,
    object: { type: 'farmer', id, ...(method === 'delete' ? {} : fields) },
  }));

/** Omits the time of writing, which always differs. */
const readState = async (caller: Caller) => {
  const { body } = await caller('GET', 'objects/farmer.json?sort[id]=asc');
  return body.objects.map(({ updated_at: _at, ...object }: { updated_at: string }) => object);
};
const readLog = async (caller: Caller) => {
  const { body } = await caller('GET', 'oplog.json?tail=true&limit=1000');
  return body.entries.map(
    ({ operation, object: { updated_at: _at, ...object } }: { operation: string; object: { updated_at: string } }) => ({
      operation,
      object,
    }),
  );
};

async function sendSeparately(caller: Caller, { method, id, fields }: TestOperation): Promise<boolean> {
  if (method === 'post')
    return (await caller('POST', 'objects/farmer.json', { farmer: { id, ...fields } })).status < 300;
  const body = method === 'delete' ? undefined : { farmer: fields };
  return (await caller(method.toUpperCase(), `objects/farmer/${id}.json`, body)).status < 300;
}

describe('simulated writes', () => {
  it('produce the same results, objects, and op-log in a batch as one by one', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (batch) => {
        const { body } = await call('POST', 'batch.json', { operations: toBatch(batch) });
        const separate: boolean[] = [];
        for (const one of batch) separate.push(await sendSeparately(callTwin, one));
        expect(body.operations.map(({ success }: { success: boolean }) => success)).toEqual(separate);
        expect(await readState(call)).toEqual(await readState(callTwin));
        expect((await readLog(call)).slice(-20)).toEqual((await readLog(callTwin)).slice(-20));
      }),
      { numRuns: 25 },
    );
  });

  it('appear in the op-log, which replays to the same objects and omits writes without changes', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (batch) => {
        const handle = simulator.deployment(smallDeployment.id);
        await handle.dropOpLog({ keep: 0 });
        const replayed = new Map<string, object>();
        for (const object of (await call('GET', 'objects/farmer.json')).body.objects) replayed.set(object.id, object);
        await call('POST', 'batch.json', { operations: toBatch(batch) });
        const { body } = await call('GET', 'oplog.json?start=0&limit=1000');
        for (const { operation: what, object } of body.entries) {
          const { updated_at: _before, ...before } = { updated_at: '', ...replayed.get(object.id) };
          const { updated_at: _after, ...after } = object;
          expect(replayed.has(object.id)).toBe(what !== 'create');
          if (what === 'update') expect(after).not.toEqual(before);
          if (what === 'delete') replayed.delete(object.id);
          else replayed.set(object.id, object);
        }
        const { objects } = (await call('GET', 'objects/farmer.json?sort[id]=asc')).body;
        expect(objects).toEqual(
          [...replayed].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, object]) => object),
        );
      }),
      { numRuns: 25 },
    );
  });
});
