import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, createCaller } from './deployment-caller.fixture.ts';
import type { DeploymentHandle, JourneySimulator } from './simulator.ts';
import { smallDeployment } from './small-deployment.ts';
import { startTestJourney } from './test-simulator.ts';

const other = { ...smallDeployment, id: '5f1a2b3c4d5e6f7081920a0d', password: 'of-another' };

let simulator: JourneySimulator;
let deployment: DeploymentHandle;
let call: Caller;

beforeAll(async () => {
  simulator = await startTestJourney({ deployments: [smallDeployment, other] });
  deployment = simulator.deployment(smallDeployment.id);
  call = createCaller(deployment);
});
afterEach(() => deployment.setRateLimit('off'));
afterAll(() => simulator.stop({ dropDatabase: true }));

const basic = (userName: string, password: string) => ({ authorization: `Basic ${btoa(`${userName}:${password}`)}` });

describe('Journey simulator credentials', () => {
  it.each([
    ['its id and password', basic(smallDeployment.id, 'journey-secret'), 200],
    ['a named token', { authorization: 'Bearer O:token-of-the-sync' }, 200],
    ['a token in the legacy form', { authorization: 'Token token-of-the-sync' }, 200],
    ['a wrong password', basic(smallDeployment.id, 'wrong'), 401],
    ['another user name', basic('admin', 'journey-secret'), 401],
    ['another deployment’s password', basic(other.id, 'of-another'), 401],
    ['a bearer token without the app prefix', { authorization: 'Bearer token-of-the-sync' }, 401],
    ['nothing', { authorization: '' }, 401],
  ])('returns the right status for %s', async (_who, headers, status) => {
    const response = await call('GET', 'info.json', undefined, headers);
    expect(response.status).toBe(status);
    if (status === 401) {
      expect(response.text).toBe('HTTP Basic: Access denied.');
      expect(response.headers.get('content-type')).toContain('text/plain');
    }
  });

  it('returns not found for an unknown deployment', async () => {
    const response = await fetch(`${simulator.baseUrl}/api/v4/ffffffffffffffffffffffff/info.json`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ type: 'ACCOUNT_NOT_FOUND' });
  });

  it('keeps deployments separate', async () => {
    await call('POST', 'objects/region.json', { region: { name: 'Here' } });
    const simulatorUrl = createCaller(simulator.deployment(other.id));
    expect((await simulatorUrl('GET', 'objects/region.json')).body).toMatchObject({ objects: [], total: 0 });
    expect((await simulatorUrl('GET', 'oplog.json?start=0')).body.entries).toEqual([]);
  });

  it('rejects the old password after a change and accepts the new one', async () => {
    deployment.setPassword('changed');
    expect((await call('GET', 'info.json')).status).toBe(401);
    expect((await createCaller(deployment)('GET', 'info.json')).status).toBe(200);
    deployment.setPassword('journey-secret');
    expect((await call('GET', 'info.json')).status).toBe(200);
  });
});

describe('Journey simulator rate limit', () => {
  it('allows a burst and then reports how long to wait', async () => {
    deployment.setRateLimit({ perSecond: 0.001, burst: 3 });
    for (let turn = 0; turn < 3; turn++) expect((await call('GET', 'info.json')).status).toBe(200);
    const response = await call('GET', 'info.json');
    expect(response).toMatchObject({ status: 429, body: { type: 'TOO_MANY_REQUESTS' } });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(900);
    expect((await createCaller(simulator.deployment(other.id))('GET', 'info.json')).status).toBe(200);
    deployment.setRateLimit('off');
    expect((await call('GET', 'info.json')).status).toBe(200);
  });
});
