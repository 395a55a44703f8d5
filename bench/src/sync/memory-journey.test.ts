import { Secret } from '@portal/kit/secret';
import { createJourneyClient, type JourneyClient } from '@portal/platforms/journey/client';
import { startTestJourney } from '@portal/simulators/journey/test-simulator';
import { expect, onTestFinished, test } from 'vitest';
import { deploymentId, deviceVisit, schemaXml } from './app-schema.ts';
import { startMemoryJourney } from './memory-journey.ts';

const id = deploymentId(0);
const password = 'journey-secret';
const toId = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

/** A client of each. */
async function startBoth(secret = password): Promise<readonly [memory: JourneyClient, simulator: JourneyClient]> {
  const memory = await startMemoryJourney({ id, password, schemaXml });
  const simulator = await startTestJourney({ deployments: [{ id, password, schemaXml, rateLimit: 'off' }] });
  onTestFinished(async () => {
    await memory.stop();
    await simulator.stop({ dropDatabase: true });
  });
  const connect = (baseUrl: string) =>
    createJourneyClient({ baseUrl: `${baseUrl}/api/v4/`, userName: id, password: new Secret(secret) });
  return [connect(memory.baseUrl), connect(simulator.baseUrl)];
}

/** What both return, apart from times and the words of problems. */
async function compare<T>(clients: readonly JourneyClient[], call: (client: JourneyClient) => Promise<T>): Promise<T> {
  const [memory, simulator] = await Promise.all(clients.map(call));
  expect(withoutTimes(memory)).toEqual(withoutTimes(simulator));
  if (memory === undefined) throw new Error('The call has no result.');
  return memory;
}

function withoutTimes(response: unknown): unknown {
  const text = JSON.stringify(response, (key, value) =>
    key === 'updated_at' || key === 'title' || key === 'detail' || key === 'see' ? undefined : value,
  );
  return JSON.parse(text);
}

test('answers as the simulator does', async () => {
  const both = await startBoth();
  const model = await compare(both, (client) => client.dataModel());
  if (model === 'unchanged') throw new Error('The first response has the data model.');
  expect(await compare(both, (client) => client.dataModel({ etag: model.etag }))).toBe('unchanged');
  expect((await compare(both, (client) => client.opLog({ start: '1' }))).entries).toEqual([]);
  for (const client of both)
    expect(Date.parse((await client.info()).last_deployed_at ?? '')).toBeLessThanOrEqual(Date.now());

  const results = await compare(both, (client) =>
    client.batch([
      ...[3, 1, 2].map((n) => ({ method: 'put' as const, object: deviceVisit(toId(n), n) })),
      // Changes nothing.
      { method: 'put', object: deviceVisit(toId(1), 1) },
      { method: 'patch', object: { type: 'visit', id: toId(1), name: 'Later', active: null } },
      // Clears all other fields.
      { method: 'put', object: { type: 'visit', id: toId(2), name: 'Only a name' } },
      { method: 'patch', object: { type: 'visit', id: toId(9), name: 'Nowhere' } },
      { method: 'delete', object: { type: 'visit', id: toId(3) } },
      { method: 'delete', object: { type: 'visit', id: toId(3) } },
    ]),
  );
  expect(results.map(({ success }) => success)).toEqual([true, true, true, true, true, true, false, true, false]);

  const page = await compare(both, (client) => client.opLog({ start: '1', limit: 4 }));
  expect(page).toMatchObject({ hasMore: true, nextStart: '5' });
  expect((await compare(both, (client) => client.opLog({ start: page.nextStart }))).entries).toHaveLength(2);
  expect((await compare(both, (client) => client.opLog({ start: '7' }))).nextStart).toBe('7');
  expect((await compare(both, (client) => client.opLogTail(2))).entries).toHaveLength(2);

  expect((await compare(both, (client) => client.listAfter('visit', undefined, 1))).hasMore).toBe(true);
  expect((await compare(both, (client) => client.listAfter('visit', toId(1), 10))).objects).toHaveLength(1);
  expect(
    (await compare(both, (client) => client.listByIds('visit', [toId(2), toId(9), toId(1)]))).objects,
  ).toHaveLength(2);
  expect(await compare(both, (client) => client.count('visit'))).toBe(2);
  expect(await compare(both, (client) => client.count('user'))).toBe(0);
});

test.each([
  ['a wrong password', 'wrong', 'visit', { kind: 'credentials-rejected' }],
  ['an unknown model', password, 'farm', { type: 'ROUTE_ERROR' }],
])('refuses %s as the simulator does', async (_title, secret, model, failure) => {
  const both = await startBoth(secret);
  const refused = await compare(both, (client) => client.count(model).catch((error: unknown) => error));
  expect(refused).toMatchObject({ failure });
});
