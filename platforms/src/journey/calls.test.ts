import { Invalid } from '@portal/kit/problems';
import { Secret } from '@portal/kit/secret';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJourneyClient, type JourneyClient } from './client.ts';
import { json, plain, type ScriptedServer, startScriptedServer } from './scripted-server.fixture.ts';
import type { JourneyOperation } from './wire.ts';

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

describe('what is sent', () => {
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
    ['a list of everything', (it) => it.list('farmer'), { method: 'GET', query: {}, body: undefined }],
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
      "the op-log's end",
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
      'a new sign-in',
      (it) => it.reAuthenticate(id, second),
      { method: 'POST', path: `${api}/users/${id}/sessions/${second}/re-authenticate` },
    ],
    [
      'a new enrolment',
      (it) => it.reEnroll('user', id),
      { method: 'POST', path: `${api}/objects/user/${id}/re_enroll.json` },
    ],
  ])('%s', async (_what, ask, sent) => {
    const answer = {
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
    server.play(json(answer));
    await ask(client);
    expect(server.seen).toEqual([expect.objectContaining(sent)]);
  });

  it('is signed with user name and password, or with a token', async () => {
    server.play(json({}));
    await client.info();
    expect(server.seen[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from(`${userName}:pässword`).toString('base64')}`,
    );
    await createJourneyClient({ baseUrl: `${server.origin}${api}`, token: new Secret('abc-1') }).info();
    expect(server.seen[1]?.headers.authorization).toBe('Bearer O:abc-1');
    expect(server.seen[1]?.path).toBe(`${api}/info.json`);
  });

  it('goes over connections that are kept', async () => {
    server.play(json({}));
    const calls = 10;
    for (let call = 0; call < calls; call++) await client.info();
    // A call that begins while the one before is being put away may open another connection.
    expect(new Set(server.seen.map(({ connection }) => connection)).size).toBeLessThan(calls);
  });
});

it.each([
  { userName: 'a:b', password: new Secret('hunter2') },
  { userName: '', password: new Secret('hunter2') },
  { token: new Secret('hunter2\r\nx: y') },
  { token: new Secret('') },
])('credentials that cannot be are refused, and not shown: %j', (credentials) => {
  const create = () => createJourneyClient({ baseUrl: 'https://x.example.com/api/v4/1', ...credentials });
  expect(create).toThrow(Invalid);
  expect(create).not.toThrow(/hunter2/);
});

describe('a page by key', () => {
  it('goes on while there is more, and ends with an empty one', async () => {
    server.play(
      json({ objects: [farmer], count: 1, total: 9, more: true }),
      json({ objects: [], count: 0, more: true }),
    );
    expect(await client.listAfter('farmer', undefined, 1)).toEqual({ objects: [farmer], hasMore: true });
    expect(await client.listAfter('farmer', id, 1)).toEqual({ objects: [], hasMore: false });
  });

  it.each([
    ['the last one again', [id]],
    ['one before it', ['00000000-0c59-4d0f-9d4e-0a3a9d4b9f11']],
    ['the same one twice', [second, second]],
    ['another order', ['8b0f1c1e-0c59-4d0f-9d4e-0a3a9d4b9f11', second]],
  ])('is not taken with %s', async (_what, ids) => {
    server.play(json({ objects: ids.map((each) => ({ ...farmer, id: each })), more: true }));
    await expect(client.listAfter('farmer', id, 2)).rejects.toMatchObject({ failure: { kind: 'unexpected-answer' } });
  });
});

describe('a batch', () => {
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

  it('answers a result for each operation, in their order', async () => {
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

  it('of nothing is not sent', async () => {
    server.play(json({}));
    expect(await client.batch([])).toEqual([]);
    expect(server.seen).toEqual([]);
  });

  it.each([
    ['too few results', [put], '1 results to 2 operations'],
    ['too many results', [put, failed, failed], '3 results to 2 operations'],
    ['another order', [failed, put], 'another operation in place 1'],
    ["another object's result", [put, { ...failed, object: { id } }], 'another operation in place 2'],
    ['a failure without reason', [put, { ...failed, error: undefined }], 'something unexpected'],
  ])('that comes back with %s may be applied, or not', async (_what, results, words) => {
    server.play(json({ operations: results }));
    await expect(client.batch(operations)).rejects.toMatchObject({
      failure: { kind: 'unexpected-answer' },
      mayBeApplied: true,
      message: expect.stringContaining(words),
    });
  });
});

describe('the op-log', () => {
  const entry = { operation: 'update', object: farmer };
  const ask = (body: object | string) => {
    server.play(json(body));
    return client.opLog({ start: '5', limit: 2 });
  };

  it('is the same from both ways of numbering, to the last digit', async () => {
    const page = {
      entries: [
        { sequence: '9007199254740993', ...entry, datamodelHash: 'h' },
        { sequence: '9007199254740995', ...entry, datamodelHash: 'h' },
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

  it('goes on after the highest number, wherever it stands', async () => {
    const entries = [8, 10, 9].map((sequence) => ({ sequence, ...entry }));
    expect(await ask({ entries, datamodel_hash: 'h' })).toMatchObject({ nextStart: '11', hasMore: true });
  });

  it('without entries stays where it is', async () => {
    expect(await ask({ entries: [], datamodel_hash: 'h' })).toEqual({
      entries: [],
      hasMore: false,
      nextStart: '5',
      datamodelHash: 'h',
    });
    expect(await client.opLogTail(10)).toMatchObject({ nextStart: '1', hasMore: false });
  });

  it('is never paged on from its tail by what Journey says', async () => {
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

describe('the data model', () => {
  const model = { models: { farmer: { name: 'farmer', fields: {} } }, datamodel_hash: 'h' };

  it('comes with its tag, and is unchanged while that is', async () => {
    server.play(json(model, 200, { etag: '"h"' }), plain('', 304));
    expect(await client.dataModel()).toMatchObject({ model: { datamodel_hash: 'h' }, etag: '"h"' });
    expect(await client.dataModel({ etag: '"h"' })).toBe('unchanged');
    expect(server.seen.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"h"']);
  });
});

describe('an attachment', () => {
  const bytes = Buffer.from([0xff, 0xd8, 0x00, 0x3c]);
  const image = { 'content-type': 'image/jpeg; q=1' };
  const url = () => `${server.origin}${api}/attachments/a.jpg?size=1`;

  it('is fetched by way of its redirect', async () => {
    server.play(plain('', 302, { location: '../../../../files/a.jpg?key=k' }), plain(bytes, 200, image));
    const file = await client.attachment(url());
    expect(Buffer.from(file.bytes)).toEqual(bytes);
    expect(file.mediaType).toBe('image/jpeg');
    expect(server.seen).toMatchObject([
      { path: `${api}/attachments/a.jpg`, query: { size: '1' } },
      { path: '/files/a.jpg', query: { key: 'k' } },
    ]);
  });

  it('may be any file, a web page too', async () => {
    server.play(plain('<!doctype html>', 200, { 'content-type': 'text/html' }));
    expect(await client.attachment(url())).toMatchObject({ mediaType: 'text/html' });
  });

  it('is not asked of another host', async () => {
    server.play(plain(bytes));
    for (const elsewhere of [
      'https://evil.example.com/a.jpg',
      server.origin.replace('http:', 'https:'),
      '//evil.example.com/a',
      'http://',
      '',
    ]) {
      await expect(client.attachment(elsewhere)).rejects.toMatchObject({ failure: { kind: 'invalid-request' } });
    }
    expect(server.seen).toEqual([]);
  });

  it.each([
    ['another host', 'https://evil.example.com/a.jpg'],
    ['another port', 'http://127.0.0.1:1/a.jpg'],
    ['nowhere', 'http://'],
    ['itself, for ever', '#'],
  ])('is not followed to %s', async (_where, location) => {
    server.play(plain('', 302, { location }));
    await expect(client.attachment(url())).rejects.toMatchObject({ failure: { kind: 'unexpected-answer' } });
  });

  it('that is gone is not found', async () => {
    server.play(json({ type: 'OBJECT_NOT_FOUND' }, 404));
    await expect(client.attachment(url())).rejects.toMatchObject({ failure: { kind: 'not-found' } });
  });
});
