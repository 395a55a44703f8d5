import { json, type ScriptedServer, startScriptedServer } from '@portal/platforms/journey/scripted-server.fixture';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway } from './journey-gateway.fixture.ts';

const signal = new AbortController().signal;
const response = (datamodel_hash: string) => ({
  models: {
    Visit: {
      name: 'Visit',
      fields: {
        Note: { name: 'Note', type: 'text:paragraph' },
        done: { name: 'done', type: 'boolean', options: [{ key: true, display: 'Yes' }] },
      },
    },
  },
  app_user: null,
  datamodel_hash,
});

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.stop());

it('returns the same data model while its hash is unchanged, even without an ETag', async () => {
  const { gateway } = openTestGateway({ url: server.origin, userName: '5f0c1d2e3a4b5c6d7e8f9a0b', password: 'secret' });
  server.play(json(response('a')), json(response('a')), json(response('b')));
  const first = await gateway.readModels(signal);
  expect(first).toEqual({
    hash: 'a',
    userModel: null,
    models: [
      {
        name: 'Visit',
        label: 'Visit',
        fields: [
          { name: 'Note', type: 'text', choices: [] },
          { name: 'done', type: 'boolean', choices: [] },
        ],
        belongsTo: [],
      },
    ],
  });
  expect(await gateway.readModels(signal)).toBe(first);
  expect(await gateway.readModels(signal)).toEqual({ ...first, hash: 'b' });
});
