import {
  json,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '@portal/platforms/journey/scripted-server.fixture';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Mapping } from '../mapping/object-map.ts';
import { openTestGateway } from './journey-gateway.fixture.ts';
import { type IndexedOperation, splitByBytes } from './split-by-bytes.ts';
import { toOutcome, toRefusal } from './write-outcome.ts';

const userName = '5f0c1d2e3a4b5c6d7e8f9a0b';
const signal = new AbortController().signal;
const mapping: Mapping = {
  objects: [
    {
      table: 'thing',
      model: 'Thing',
      toJourney: true,
      toHelium: true,
      fields: [{ column: 'name', field: 'Name', kind: 'text' }],
    },
  ],
  notes: [],
  fingerprint: '',
};

const Batch = z.object({
  operations: z.array(
    z.object({ method: z.string(), object: z.looseObject({ type: z.string(), id: z.string(), Name: z.string() }) }),
  ),
});

/** Executes nothing of a batch that contains one of these names. */
function spoiledBy(names: ReadonlySet<string>, status: number, run: string[]): Script {
  return (response, request, socket) => {
    const { operations } = Batch.parse(request.body);
    if (operations.some(({ object }) => names.has(object.Name)))
      return json({ type: 'INVALID_API_REQUEST', title: 'Ill-formed.', detail: 'Ill-formed.' }, status)(
        response,
        request,
        socket,
      );
    run.push(...operations.map(({ object }) => object.Name));
    const results = operations.map(({ method, object: { type, id } }) => ({
      method,
      object: { type, id },
      success: true,
    }));
    json({ stop_on_error: false, operations: results })(response, request, socket);
  };
}

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.stop());

const sendNames = (names: readonly string[]) => {
  const { gateway } = openTestGateway({ url: server.origin, userName, password: 'secret' });
  const id = '6b0f1c1e-0c59-4d0f-9d4e-0a3a9d4b9f11';
  return gateway.send(
    mapping,
    names.map((name) => ({ key: { table: 'thing', id }, method: 'put', fields: { name } })),
    signal,
  );
};

describe('record that fails the whole call', () => {
  it.each([400, 413])('refuses only that record and writes all others once and in order (%i)', async (status) => {
    const names = Array.from({ length: 100 }, (_, index) => `thing ${index}`);
    const poison = new Set(names.filter((_, index) => index % 6 === 0 || index === 17 || index === 99));
    const run: string[] = [];
    server.play(spoiledBy(poison, status, run));
    const outcomes = await sendNames(names);
    expect(outcomes.map(({ status }) => status)).toEqual(names.map((name) => (poison.has(name) ? 'refused' : 'done')));
    expect(run).toEqual(names.filter((name) => !poison.has(name)));
    expect(new Set(outcomes.flatMap((outcome) => (outcome.status === 'refused' ? [outcome.kind] : []))).size).toBe(1);
  });

  it('throws instead of refusing when every record fails', async () => {
    const names = Array.from({ length: 1000 }, (_, index) => `thing ${index}`);
    server.play(spoiledBy(new Set(names), 400, []));
    await expect(sendNames(names)).rejects.toMatchObject({ failure: { kind: 'invalid-request' } });
    expect(server.seen.length).toBeLessThan(50);
  });

  it('does not search for a record when the deployment does not exist', async () => {
    server.play(json({ type: 'ACCOUNT_NOT_FOUND', title: '', detail: '' }, 404));
    await expect(sendNames(['a', 'b'])).rejects.toMatchObject({ failure: { type: 'ACCOUNT_NOT_FOUND' } });
    expect(server.seen).toHaveLength(1);
  });
});

it('makes no call when there is nothing to write', async () => {
  server.play(json({}, 500));
  expect(await sendNames([])).toEqual([]);
  expect(server.seen).toEqual([]);
});

it('sends more than a thousand writes in calls of a thousand', async () => {
  const run: string[] = [];
  server.play(spoiledBy(new Set(), 400, run));
  const names = Array.from({ length: 2001 }, (_, index) => `thing ${index}`);
  await sendNames(names);
  expect(run).toEqual(names);
  expect(server.seen).toHaveLength(3);
});

it('fills calls up to the limits, in order, with at least one record each', () => {
  const operations = fc
    .array(fc.string({ maxLength: 300 }), { maxLength: 60 })
    .map((names) =>
      names.map(
        (Name, index) => ({ index, operation: { method: 'put', object: { type: 'T', id: '1', Name } } }) as const,
      ),
    );
  fc.assert(
    fc.property(
      operations,
      fc.integer({ min: 100, max: 2000 }),
      fc.integer({ min: 1, max: 20 }),
      (all, maxBytes, maxOperations) => {
        const batches = splitByBytes(all, { maxBytes, maxOperations });
        expect(batches.flat()).toEqual(all);
        const bytesOf = (batch: readonly IndexedOperation[]) =>
          Buffer.byteLength(
            JSON.stringify({ stop_on_error: false, operations: batch.map(({ operation }) => operation) }),
          );
        for (const [index, batch] of batches.entries()) {
          expect(batch.length).toBeGreaterThan(0);
          expect(batch.length).toBeLessThanOrEqual(maxOperations);
          if (batch.length > 1) expect(bytesOf(batch)).toBeLessThanOrEqual(maxBytes);
          const next = batches[index + 1]?.slice(0, 1) ?? [];
          if (next.length > 0 && batch.length < maxOperations)
            expect(bytesOf([...batch, ...next])).toBeGreaterThan(maxBytes - 100);
        }
      },
    ),
  );
});

describe('write outcomes', () => {
  const failed = (type: string) =>
    ({ success: false, method: 'put', object: {}, error: { type, title: null, detail: null } }) as const;
  const object = { type: 'Thing', id: '1' };

  it('derives the outcome for a missing object from the method', () => {
    const missing = failed('OBJECT_NOT_FOUND');
    expect(toOutcome({ method: 'delete', object }, missing)).toEqual({ status: 'done' });
    expect(toOutcome({ method: 'patch', object }, missing)).toEqual({ status: 'missing' });
    expect(toOutcome({ method: 'put', object }, missing)).toMatchObject({
      status: 'refused',
      kind: 'OBJECT_NOT_FOUND',
    });
  });

  it.each(['INVALID_VALUE', 'INVALID_API_REQUEST', 'ROUTE_ERROR'])('takes %s for a verdict on the record', (type) => {
    expect(toOutcome({ method: 'put', object }, failed(type))).toMatchObject({ status: 'refused', kind: type });
  });

  it.each([
    ['INTERNAL_SERVER_ERROR', 'unexpected-response'],
    ['AN_UNKNOWN_TYPE', 'unexpected-response'],
    ['TOO_MANY_REQUESTS', 'rate-limited'],
    ['AUTHENTICATION_FAILED', 'credentials-rejected'],
    ['ACCOUNT_NOT_FOUND', 'not-found'],
  ])('takes %s for a failure like that of a whole call, not for a verdict', (type, kind) => {
    expect(toOutcome({ method: 'delete', object }, failed(type))).toMatchObject({
      status: 'undecided',
      kind: type,
      problem: { failure: { kind } },
    });
  });

  it('groups errors that differ only in the record and the value', () => {
    const kindOf = (detail: string) => toRefusal({ type: 'INVALID_VALUE', title: 'A value is invalid.', detail }).kind;
    expect(kindOf(`Invalid option "x" for field 'status'.`)).toBe(kindOf(`Invalid option "it's 5" for field 'grade'.`));
    expect(kindOf(`Invalid integer 5000000000 for field 'age'.`)).toBe(
      kindOf(`Invalid integer 1.5e9 for field 'size'.`),
    );
    expect(kindOf(`Invalid integer 5 for field 'age'.`)).not.toBe(kindOf(`Invalid option "5" for field 'age'.`));
    expect(toRefusal({ type: 'STRANGE', title: null, detail: null })).toEqual({
      status: 'refused',
      kind: 'STRANGE',
      reason: 'STRANGE',
    });
  });
});
