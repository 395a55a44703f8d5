import { getApps } from '@portal/contract/apps';
import { resetStats } from '@portal/contract/db-spy';
import { mergeSchedule } from '@portal/contract/deployments';
import type { Endpoint } from '@portal/contract/endpoint';
import { endpoints } from '@portal/contract/endpoints';
import {
  getHealth,
  getMetrics,
  getOpenApi,
  getReadiness,
  readCalendarFeed,
  receiveWebhook,
} from '@portal/contract/operations';
import { needsSession } from '@portal/contract/rules';
import { getTeamNames } from '@portal/contract/schema-access';
import { getSession } from '@portal/contract/session';
import { endSessionsOfUser, getSessions } from '@portal/contract/sessions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildRequest } from '../testing/build-request.ts';
import { type SmallWorld, startSmallWorld } from '../testing/small-world.ts';
import { parseProblem, type TestClient } from '../testing/test-client.ts';

/**
 * Calls of monitoring systems, load balancers, calendars and Journey, which may add parameters of
 * their own. Nothing that these calls do depends on a parameter.
 */
const tolerant: readonly Endpoint[] = [
  getHealth,
  getReadiness,
  getMetrics,
  getOpenApi,
  readCalendarFeed,
  receiveWebhook,
];

let world: SmallWorld;
let demo: TestClient;

beforeAll(async () => {
  world = await startSmallWorld();
  demo = await world.server.signIn('demo', 'demo');
});
afterAll(() => world.stop());

const strict = endpoints
  .filter((each) => !tolerant.includes(each))
  .map((each): [string, Endpoint] => [`${each.method} ${each.path}`, each]);

test.each(strict)('%s refuses unknown fields in its query and its body', async (_name, endpoint) => {
  const { path, body } = buildRequest(endpoint, {});
  const separator = path.includes('?') ? '&' : '?';
  const refused = [400, { misspelled: expect.stringContaining('is an unknown field') }];
  const inQuery = await demo.send(endpoint.method, `${path}${separator}misspelled=1`, body);
  expect([inQuery.status, parseProblem(inQuery).fields]).toEqual(refused);
  if (body === undefined) return;
  const inBody = await demo.send(endpoint.method, path, JSON.stringify({ ...JSON.parse(body), misspelled: 1 }));
  expect([inBody.status, parseProblem(inBody).fields]).toMatchObject(refused);
});

test('an unknown field shows callers without rights nothing that the API document does not have', async () => {
  const viewer = await world.server.signIn('viewer', 'viewer');
  for (const [name, endpoint] of strict) {
    const { path, body } = buildRequest(endpoint, {});
    const misspelled = `${path}${path.includes('?') ? '&' : '?'}misspelled=1`;
    const send = (client: TestClient) => client.send(endpoint.method, misspelled, body);
    if (needsSession(endpoint.may)) expect([name, (await send(world.server.client())).status]).toEqual([name, 401]);
    // The same as for a user who may: it depends on the call only.
    const [refused, allowed] = [parseProblem(await send(viewer)), parseProblem(await send(demo))];
    expect([name, refused.message, refused.fields]).toEqual([name, allowed.message, allowed.fields]);
  }
});

test('a misspelled field ends no sessions, and the problem names the known ones', async () => {
  const [mine, another] = [
    await world.server.signIn('health.dev', 'health'),
    await world.server.signIn('health.dev', 'health'),
  ];
  const response = await mine.send('POST', endSessionsOfUser.path, '{"username":"demo"}');
  expect([response.status, parseProblem(response).message]).toEqual([
    400,
    'The request is invalid. username: is an unknown field (known: user)',
  ]);
  for (const client of [demo, another]) expect((await client.attempt(getSession, undefined)).status).toBe(200);
});

test('the environment in a query or a body must be that of the session, whatever the call', async () => {
  const send = async (method: string, path: string, body?: string) => (await demo.send(method, path, body)).status;
  const own = encodeURIComponent(world.baseUrl);
  const end = endSessionsOfUser.path;
  expect(await send('GET', `${getSessions.path}?environment=Production`)).toBe(200);
  expect(await send('GET', `${getSessions.path}?baseUrl=${own}`)).toBe(200);
  expect(await send('GET', `${getSessions.path}?environment=Nowhere`)).toBe(400);
  expect(await send('GET', `${getSessions.path}?environment=Production&environment=Production`)).toBe(400);
  expect(await send('GET', `${getSessions.path}?baseUrl=https://elsewhere.example.com`)).toBe(400);
  expect(await send('POST', `${end}?environment=Nowhere`, '{}')).toBe(400);
  expect(await send('POST', end, '{"environment":"Nowhere"}')).toBe(400);
  expect(await send('POST', end, '{"environment":7}')).toBe(400);
  expect(await send('POST', end, '{"environment":"Production"}')).toBe(200);
});

test('a sign-in names its environment in one place only', async () => {
  const input = { credentials: { userName: 'demo', password: 'demo' }, baseUrl: world.baseUrl };
  const send = async (query: string, more: object = {}) =>
    (await world.server.client().send('POST', getApps.path + query, JSON.stringify({ ...input, ...more }))).status;
  expect(await send('')).toBe(200);
  expect(await send('?environment=Production')).toBe(400);
  expect(await send('', { environment: 'Production' })).toBe(400);
});

test.each(tolerant.map(({ path }) => [path]))('%s ignores the parameters that other systems add', async (path) => {
  const address = path.replace(/:\w+/, 'x');
  const method = path === receiveWebhook.path ? 'POST' : 'GET';
  const plain = await demo.send(method, address);
  expect((await demo.send(method, `${address}?t=1`)).status).toBe(plain.status);
});

test('a body must be an object, also where a call needs none', async () => {
  for (const body of ['[]', '7', '"x"']) expect((await demo.send('POST', getTeamNames.path, body)).status).toBe(400);
  for (const body of ['', '{}']) expect((await demo.send('POST', getTeamNames.path, body)).status).toBe(200);
});

test('a schedule can be sent back as it was listed', () => {
  const { shape } = mergeSchedule.request;
  expect(Object.keys(mergeSchedule.response.shape).filter((name) => !Object.hasOwn(shape, name))).toEqual([]);
});

test('the API document shows that requests have no other fields, and the query of a call with a body', async () => {
  const { paths } = JSON.parse((await demo.send('GET', getOpenApi.path)).text);
  const { schema } = paths[endSessionsOfUser.path].post.requestBody.content['application/json'];
  expect(schema).toMatchObject({ properties: { user: {} }, additionalProperties: false });
  expect(paths[resetStats.path].post.parameters).toMatchObject([{ name: 'hostname', in: 'query', required: false }]);
});
