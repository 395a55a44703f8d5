import { Secret } from '@portal/kit/secret';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJourneyClient, type JourneyClient } from './client.ts';
import { json, type ScriptedServer, startScriptedServer } from './scripted-server.fixture.ts';

const userName = '5f0c1d2e3a4b5c6d7e8f9a0b';
const farmer = {
  id: '6b0f1c1e-0c59-4d0f-9d4e-0a3a9d4b9f11',
  type: 'farmer',
  updated_at: '2024-03-01T09:30:00Z',
  name: 'Thandi',
};

let server: ScriptedServer;
let client: JourneyClient;
beforeAll(async () => {
  server = await startScriptedServer();
  client = createJourneyClient({ baseUrl: server.origin, userName, password: new Secret('secret') });
});
afterAll(() => server.stop());

describe('Journey op-log reader', () => {
  const entry = { operation: 'update', object: farmer };
  const ask = (body: object | string) => {
    server.play(json(body));
    return client.opLog({ start: '5', limit: 2 });
  };

  it('reads both forms of sequence numbers exactly', async () => {
    const page = {
      entries: [
        { sequence: '9007199254740993', ...entry },
        { sequence: '9007199254740995', ...entry },
      ],
      hasMore: true,
      nextStart: '9007199254740996',
      datamodelHash: 'h',
    };
    const object = JSON.stringify(farmer);
    const plainEntries = [9007199254740993n, 9007199254740995n].map(
      (n) => `{"sequence":${n},"operation":"update","object":${object}}`,
    );
    expect(await ask(`{"entries":[${plainEntries}],"datamodel_hash":"h"}`)).toEqual(page);
    const entries = page.entries.map(({ sequence }) => ({ sequence_id: sequence, app_id: null, events: [], ...entry }));
    expect(await ask({ entries, has_more: true, next_request_start: page.nextStart, datamodel_hash: 'h' })).toEqual(
      page,
    );
    const older = page.entries.map(({ sequence }) => ({ sequence, ...entry }));
    expect(await ask({ entries: older, has_more: false, next_request_start: null, datamodel_hash: 'h' })).toEqual({
      ...page,
      hasMore: false,
    });
  });

  it('continues after the highest sequence, wherever it is in the page', async () => {
    const entries = [8, 10, 9].map((sequence) => ({ sequence, ...entry }));
    expect(await ask({ entries, datamodel_hash: 'h' })).toMatchObject({ nextStart: '11', hasMore: true });
  });

  it('keeps its start after an empty page', async () => {
    expect(await ask({ entries: [], datamodel_hash: 'h' })).toEqual({
      entries: [],
      hasMore: false,
      nextStart: '5',
      datamodelHash: 'h',
    });
    expect(await client.opLogTail(10)).toMatchObject({ nextStart: '1', hasMore: false });
  });

  it('computes the next start itself after reading the tail', async () => {
    server.play(
      json({
        entries: [{ sequence_id: '41', ...entry }],
        has_more: true,
        next_request_start: '1',
        datamodel_hash: 'h',
      }),
    );
    expect(await client.opLogTail(10)).toMatchObject({ nextStart: '42', hasMore: false });
  });
});
