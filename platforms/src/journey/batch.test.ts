import { Secret } from '@portal/kit/secret';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJourneyClient, type JourneyClient } from './client.ts';
import { json, type ScriptedServer, startScriptedServer } from './scripted-server.fixture.ts';
import type { JourneyOperation } from './wire.ts';

const userName = '5f0c1d2e3a4b5c6d7e8f9a0b';
const api = `/api/v4/${userName}`;
const [id = '', second = ''] = ['6b0f1c1e-0c59-4d0f-9d4e-0a3a9d4b9f11', '7b0f1c1e-0c59-4d0f-9d4e-0a3a9d4b9f11'];
const farmer = { id, type: 'farmer', updated_at: '2024-03-01T09:30:00Z', name: 'Thandi' };

let server: ScriptedServer;
let client: JourneyClient;
beforeAll(async () => {
  server = await startScriptedServer();
  client = createJourneyClient({ baseUrl: server.origin, userName, password: new Secret('secret') });
});
afterAll(() => server.stop());

describe('Journey batch', () => {
  const operations: JourneyOperation[] = [
    { method: 'put', object: { type: 'farmer', id, name: 'A' } },
    { method: 'delete', object: { type: 'farmer', id: second } },
  ];
  const put = { method: 'put', object: farmer, success: true };
  const failed = {
    method: 'delete',
    object: { type: 'farmer', id: second },
    success: false,
    error: { type: 'OBJECT_NOT_FOUND', title: 'x', detail: 'y', see: '' },
  };

  it('returns a result for each operation in order', async () => {
    server.play(json({ stop_on_error: false, operations: [put, failed] }));
    expect(await client.batch(operations)).toMatchObject([
      { success: true },
      { success: false, error: { type: 'OBJECT_NOT_FOUND' } },
    ]);
    expect(server.seen[0]).toMatchObject({
      method: 'POST',
      path: `${api}/batch.json`,
      body: { stop_on_error: false, operations },
    });
  });

  it.each([
    [
      { ...put, success: undefined, method: 'PUT' },
      { success: true, method: 'put' },
    ],
    [{}, { success: true, method: null, object: {} }],
    [{ error: { detail: 'No.' } }, { success: false, error: { type: null, title: null, detail: 'No.' } }],
    [{ error: 'No.' }, { success: false, error: { type: null, detail: 'No.' } }],
    [{ success: false }, { success: false, error: { type: null, detail: null } }],
    [{ skipped: true }, { success: 'skipped' }],
  ])('reads %j as leniently as the official client', async (written, read) => {
    server.play(json({ operations: [written, failed] }));
    expect((await client.batch(operations))[0]).toMatchObject(read);
  });

  it('sends nothing for an empty batch', async () => {
    server.play(json({}));
    expect(await client.batch([])).toEqual([]);
    expect(server.seen).toEqual([]);
  });

  it.each([
    ['too few results', [put], '1 results for 2 operations'],
    ['too many results', [put, failed, failed], '3 results for 2 operations'],
    ['another order', [failed, put], 'the result of another operation at position 1'],
    ["another object's result", [put, { ...failed, object: { id } }], 'the result of another operation at position 2'],
  ])('reports that a batch with %s may be applied', async (_what, results, words) => {
    server.play(json({ operations: results }));
    await expect(client.batch(operations)).rejects.toMatchObject({
      failure: { kind: 'unexpected-response' },
      mayBeApplied: true,
      message: expect.stringContaining(words),
    });
  });
});
