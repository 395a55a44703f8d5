import { getAudit } from '@portal/contract/audit';
import { getSchedules } from '@portal/contract/deployments';
import { getOnCall } from '@portal/contract/support-roster';
import { withBase } from '@portal/contract/sync/base';
import { listIntegrations } from '@portal/contract/sync/integration';
import { startTestServer } from '@portal/server/testing/test-server';
import { addCompany } from '@portal/simulators/helium/definitions';
import { smallEnvironment } from '@portal/simulators/helium/small-environment';
import { startTestSimulator } from '@portal/simulators/helium/test-simulator';
import { smallDeployment } from '@portal/simulators/journey/small-deployment';
import { startTestJourney } from '@portal/simulators/journey/test-simulator';
import { companyTeams, createCompany } from '@portal/system/demo/company/create-company';
import { expect, onTestFinished, test } from 'vitest';
import { startSyncService } from './sync-service.ts';

test("creates a company's integrations, shifts, deployments and audit entries once", async () => {
  const helium = await startTestSimulator({
    definition: addCompany(smallEnvironment, { apps: 7, storedResults: 0 }),
  });
  onTestFinished(() => helium.stop({ dropDatabases: true }));
  const journey = await startTestJourney();
  onTestFinished(() => journey.stop({ dropDatabase: true }));
  const { baseUrl, dataSources } = helium;
  const baseUrls = [`${journey.baseUrl}/api/v4/`];
  const production = { name: 'Production', baseUrl, timeZone: 'Africa/Johannesburg', dataSources };
  const environment = { ...production, dataSources: [...dataSources], journeyBaseUrls: baseUrls };
  const syncService = await startSyncService([environment]);
  onTestFinished(() => syncService.stop());
  const [team = ''] = companyTeams;
  const portal = await startTestServer({
    environments: [environment],
    sync: syncService.sync,
    supportRoster: { teams: [{ name: team }] },
    teams: [{ name: team, apps: [helium.app('Farm Inputs').schemaName] }],
  });
  onTestFinished(() => portal.stop());

  // Has an object of the same name as one in this deployment.
  const { id, dataSource } = helium.app('Farm Inputs');
  const { url, userName, setPassword } = journey.deployment(smallDeployment.id);
  const deployment = {
    environment: 'Production',
    appName: 'Farm Inputs',
    appId: id,
    dataSource: dataSource.heliumDataSourceName,
    url,
    userName,
    password: smallDeployment.password,
    changePassword: setPassword,
    sendWebhooksTo: () => [],
  };
  const target = {
    portal: portal.url,
    databaseUrl: portal.databaseUrl,
    production,
    journey: { deployments: [deployment], baseUrls },
  };
  const data = { disabledIntegrations: 4, deployments: 36, auditEntries: 50 };
  const client = await portal.signIn('demo', 'demo');
  await createCompany(target, data);
  const countOnCall = async () => (await client.call(getOnCall, { team }))[0]?.now.length;
  await expect.poll(countOnCall).toBe(1);
  await createCompany(target, data);

  const integrations = await client.call(withBase('/sync/api/', listIntegrations), { environment: 'Production' });
  expect(integrations.filter(({ status }) => status === 'Disabled')).toHaveLength(4);
  expect(integrations.filter(({ status }) => status !== 'Disabled').map(({ id }) => id)).toEqual([deployment.appId]);
  expect(await client.call(getSchedules, {})).toHaveLength(36);
  expect(await countOnCall()).toBe(1);
  const { entries } = await client.call(getAudit, { action: 'functions.toggle' });
  expect(entries).toHaveLength(47);
});
