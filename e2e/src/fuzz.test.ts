import { startTestSimulator } from '@portal/platforms/helium/test-simulator';
import { startTestServer } from '@portal/server/testing/test-server';
import { expect, onTestFinished, test } from 'vitest';
import { journeyAddress } from './create-integration.ts';
import { fuzz } from './fuzz.ts';
import { startSyncService } from './sync-service.ts';

/** `npm run fuzz` sends more, with a new seed each time. */
const run = { seed: 20_261_123, requests: 400 };

test('both services answer random requests without a bug and without a large error response', async () => {
  const helium = await startTestSimulator();
  onTestFinished(() => helium.stop({ dropDatabases: true }));
  const environment = {
    name: 'Production',
    baseUrl: helium.baseUrl,
    dataSources: [...helium.dataSources],
    teamUsers: helium.teams.map(({ name }) => name),
    journeyBaseUrls: [journeyAddress],
  };
  const syncService = await startSyncService([environment]);
  onTestFinished(() => syncService.stop());
  const server = await startTestServer({ environments: [environment], sync: syncService.sync });
  onTestFinished(() => server.stop());
  const { cookie = '' } = (await server.signIn('demo', 'demo')).cookieHeaders;
  const known = ['Production', environment.baseUrl, helium.app('Clinic Visits').id, helium.app('Stock Room').id];
  const { url: syncUrl, token: syncToken } = syncService.sync;

  const { statuses } = await fuzz({ serverUrl: server.url, cookie, syncUrl, syncToken, known }, run);

  for (const status of [200, 400, 401, 404, 413]) expect(statuses.get(status), String(status)).toBeGreaterThan(0);
});
