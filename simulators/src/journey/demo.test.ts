import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import { Secret } from '@portal/kit/secret';
import { createJourneyClient } from '@portal/platforms/journey/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoJourney, startDemoJourney } from './demo.ts';

let demo: DemoJourney;
let stateDir: string;

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'demo-journey-'));
  demo = await startDemoJourney({ postgres: { url: getTestPostgresUrl() }, stateDir, live: false });
});
afterAll(async () => {
  await demo.stop();
  await rm(stateDir, { recursive: true });
});

const createClient = (appName: string) => {
  const { url = '', userName = '', password = '' } = demo.deployments.find((one) => one.appName === appName) ?? {};
  return createJourneyClient({ baseUrl: url, userName, password: new Secret(password) });
};

describe('Journey demo', () => {
  it('provides a deployment for apps of every environment at addresses a portal can configure', () => {
    expect(new Set(demo.deployments.map(({ environment }) => environment)).size).toBe(3);
    for (const { url } of demo.deployments) expect(demo.baseUrls.some((base) => url.startsWith(base))).toBe(true);
    expect(new Set(demo.deployments.map(({ url }) => url)).size).toBe(demo.deployments.length);
  });

  it('contains the app’s objects with the fields that devices show', async () => {
    const current = await createClient('Community Health Visits').dataModel();
    if (current === 'unchanged') throw new Error('There is no known model to compare with.');
    const { model } = current;
    expect(Object.keys(model.models).sort()).toEqual(['district', 'healthWorker', 'household', 'referral', 'visit']);
    expect(model.app_user).toBe('healthWorker');
    expect(Object.keys(model.models.healthWorker?.fields ?? {})).toEqual(['mobileNumber', 'active']);
    expect(model.models.visit?.belongs_to).toMatchObject({ household: { model: 'household', inverse_of: 'visits' } });
    const types = Object.values(model.models.visit?.fields ?? {}).map(({ name, type }) => `${name} ${type}`);
    expect(types).toEqual(['status text', 'visitedOn date', 'closedAt datetime', 'pregnant boolean']);
  });
});
