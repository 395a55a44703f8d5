import { Invalid } from '@portal/kit/problems';
import { Secret } from '@portal/kit/secret';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJourneyClient, type JourneyClient } from './client.ts';
import { json, plain, type ScriptedServer, startScriptedServer } from './scripted-server.fixture.ts';

const userName = '5f0c1d2e3a4b5c6d7e8f9a0b';
const api = `/api/v4/${userName}`;
const [id = '', second = ''] = ['6b0f1c1e-0c59-4d0f-9d4e-0a3a9d4b9f11', '7b0f1c1e-0c59-4d0f-9d4e-0a3a9d4b9f11'];
const farmer = { id, type: 'farmer', updated_at: '2024-03-01T09:30:00Z', name: 'Thandi' };

let server: ScriptedServer;
let client: JourneyClient;
beforeAll(async () => {
  server = await startScriptedServer();
  client = createJourneyClient({ baseUrl: server.origin, userName, password: new Secret('pässword') });
});
afterAll(() => server.stop());

describe('Journey requests', () => {
  it.each<[string, (journey: JourneyClient) => Promise<unknown>, object]>([
    [
      'a list',
      (it) =>
        it.list('farmer', {
          limit: 5,
          skip: 10,
          sort: { _updated_at: 'desc' },
          filter: { 'age.gte': 18, 'name.contains': 'a&b=é' },
          total: true,
        }),
      {
        method: 'GET',
        path: `${api}/objects/farmer.json`,
        query: {
          limit: '5',
          skip: '10',
          total: 'true',
          'sort[_updated_at]': 'desc',
          'query[age.gte]': '18',
          'query[name.contains]': 'a&b=é',
        },
      },
    ],
    ['a full list', (it) => it.list('farmer'), { method: 'GET', query: {}, body: undefined }],
    [
      'a first page',
      (it) => it.listAfter('farmer', undefined, 50),
      {
        method: 'POST',
        path: `${api}/objects/farmer/query.json`,
        body: {
          expression: 'id >= ?',
          arguments: ['00000000-0000-0000-0000-000000000000'],
          limit: 50,
          skip: null,
          sort: ['id'],
        },
      },
    ],
    [
      'a later page',
      (it) => it.listAfter('farmer', id, 50),
      { body: { expression: 'id > ?', arguments: [id], limit: 50, skip: null, sort: ['id'] } },
    ],
    [
      'a replacement',
      (it) => it.put('farmer', id, { name: 'T', active: true }),
      { method: 'PUT', path: `${api}/objects/farmer/${id}.json`, body: { farmer: { name: 'T', active: true } } },
    ],
    [
      'a change',
      (it) => it.patch('farmer', id, { name: null }),
      { method: 'PATCH', path: `${api}/objects/farmer/${id}.json`, body: { farmer: { name: null } } },
    ],
    [
      'a removal',
      (it) => it.remove('farmer', id),
      { method: 'DELETE', path: `${api}/objects/farmer/${id}.json`, body: undefined },
    ],
    [
      'the op-log',
      (it) => it.opLog({ start: '9007199254740993', limit: 10 }),
      {
        method: 'GET',
        path: `${api}/oplog.json`,
        query: { start: '9007199254740993', limit: '10', sequence_ids: 'true' },
      },
    ],
    [
      'the end of the op-log',
      (it) => it.opLogTail(3),
      { path: `${api}/oplog.json`, query: { tail: 'true', limit: '3', sequence_ids: 'true' } },
    ],
    [
      'users',
      (it) => it.users({ limit: 2, skip: 4 }),
      { method: 'GET', path: `${api}/users`, query: { limit: '2', skip: '4' } },
    ],
    ['a user', (it) => it.user(id), { method: 'GET', path: `${api}/users/${id}` }],
    ['a lock', (it) => it.lockUser(id), { method: 'POST', path: `${api}/users/${id}/lock` }],
    ['an unlock', (it) => it.unlockUser(id), { method: 'POST', path: `${api}/users/${id}/unlock` }],
    [
      'a token',
      (it) => it.authenticationToken(id),
      { method: 'POST', path: `${api}/users/${id}/authentication-token` },
    ],
    ['a wipe', (it) => it.wipe(id, second), { method: 'POST', path: `${api}/users/${id}/sessions/${second}/wipe` }],
    [
      'a re-authentication',
      (it) => it.reAuthenticate(id, second),
      { method: 'POST', path: `${api}/users/${id}/sessions/${second}/re-authenticate` },
    ],
    [
      'a re-enrollment',
      (it) => it.reEnroll('user', id),
      { method: 'POST', path: `${api}/objects/user/${id}/re_enroll.json` },
    ],
  ])('sends %s', async (_what, ask, sent) => {
    const models = {
      ...farmer,
      objects: [],
      more: false,
      entries: [],
      datamodel_hash: 'h',
      enrolled: true,
      locked: false,
      token: 't',
      success: true,
    };
    server.play(json(models));
    await ask(client);
    expect(server.seen).toEqual([expect.objectContaining(sent)]);
  });

  it('signs calls with user name and password, or with a token', async () => {
    server.play(json({}));
    await client.info();
    expect(server.seen[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from(`${userName}:pässword`).toString('base64')}`,
    );
    await createJourneyClient({ baseUrl: `${server.origin}${api}`, token: new Secret('abc-1') }).info();
    expect(server.seen[1]?.headers.authorization).toBe('Bearer O:abc-1');
    expect(server.seen[1]?.path).toBe(`${api}/info.json`);
  });

  it('reuses connections', async () => {
    server.play(json({}));
    const calls = 10;
    for (let call = 0; call < calls; call++) await client.info();
    // A call that starts while the previous connection is being returned may open another one.
    expect(new Set(server.seen.map(({ connection }) => connection)).size).toBeLessThan(calls);
  });
});

it.each([
  { userName: 'a:b', password: new Secret('hunter2') },
  { userName: '', password: new Secret('hunter2') },
  { token: new Secret('hunter2\r\nx: y') },
  { token: new Secret('') },
])('rejects invalid credentials without showing them: %j', (credentials) => {
  const create = () => createJourneyClient({ baseUrl: 'https://x.example.com/api/v4/1', ...credentials });
  expect(create).toThrow(Invalid);
  expect(create).not.toThrow(/hunter2/);
});

describe('paging by id', () => {
  it('continues while there are more pages and ends with an empty one', async () => {
    server.play(
      json({ objects: [farmer], count: 1, total: 9, more: true }),
      json({ objects: [], count: 0, more: true }),
    );
    expect(await client.listAfter('farmer', undefined, 1)).toEqual({ objects: [farmer], unreadable: 0, hasMore: true });
    expect(await client.listAfter('farmer', id, 1)).toEqual({ objects: [], unreadable: 0, hasMore: false });
  });

  it.each([
    ['the last id repeated', [id]],
    ['an earlier id', ['00000000-0c59-4d0f-9d4e-0a3a9d4b9f11']],
    ['a duplicate id', [second, second]],
    ['ids out of order', ['8b0f1c1e-0c59-4d0f-9d4e-0a3a9d4b9f11', second]],
  ])('rejects a page with %s', async (_what, ids) => {
    server.play(json({ objects: ids.map((each) => ({ ...farmer, id: each })), more: true }));
    await expect(client.listAfter('farmer', id, 2)).rejects.toMatchObject({ failure: { kind: 'unexpected-response' } });
  });
});

describe('Journey data model', () => {
  const model = { models: { farmer: { name: 'farmer', fields: {} } }, datamodel_hash: 'h' };

  it('arrives with its etag and is unchanged while the etag is the same', async () => {
    server.play(json(model, 200, { etag: '"h"' }), plain('', 304));
    expect(await client.dataModel()).toMatchObject({ model: { datamodel_hash: 'h' }, etag: '"h"' });
    expect(await client.dataModel({ etag: '"h"' })).toBe('unchanged');
    expect(server.seen.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"h"']);
  });
});
