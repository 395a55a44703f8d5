import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getDeploymentTeams, getSchedules } from '@portal/contract/deployments';
import { getRelease } from '@portal/contract/release-page';
import { startTestServer } from '@portal/server/testing/test-server';
import { startTestSimulator } from '@portal/simulators/helium/test-simulator';
import { startDemoProjects } from '@portal/simulators/projects/demo';
import { startDemoRosters } from '@portal/simulators/roster/demo';
import { expect, onTestFinished, test } from 'vitest';
import { addCompanyHistory } from './company/history.ts';

test('each developer team of the demo has a support team, so that its releases show who is on call', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'portal-demo-teams-'));
  onTestFinished(() => rmSync(stateDir, { recursive: true }));
  const simulator = await startTestSimulator();
  onTestFinished(() => simulator.stop({ dropDatabases: true }));
  const rosters = await startDemoRosters({ stateDir });
  onTestFinished(() => rosters.stop());
  const projects = await startDemoProjects({ stateDir });
  onTestFinished(() => projects.stop());
  const zone = { environment: 'Production', timeZone: 'Africa/Johannesburg' };
  const portal = await startTestServer({
    environments: [{ name: zone.environment, baseUrl: simulator.baseUrl, timeZone: zone.timeZone }],
    supportRoster: rosters.supportRoster,
    deployments: projects.deployments,
  });
  onTestFinished(() => portal.stop());
  const client = await portal.signIn('demo', 'demo');
  const teams = await client.call(getDeploymentTeams, undefined);
  expect(teams.length).toBeGreaterThan(0);

  const { id, name, schemaName, dataSource } = simulator.app('Clinic Visits');
  const apps = [{ id, name, schemaName, dataSource: dataSource.heliumDataSourceName }];
  const history = { ...zone, apps, teams, deployments: teams.length, auditEntries: 0 };
  await addCompanyHistory(portal.databaseUrl, history);
  const schedules = await client.call(getSchedules, {});
  expect(schedules.map(({ team }) => team).toSorted()).toEqual(teams);
  for (const schedule of schedules) {
    const path = `/portal-backend/api/deployment/release/${schedule.id}` as const;
    const { supportTeam } = await client.call({ ...getRelease, path }, undefined);
    expect(supportTeam, schedule.team).not.toBeNull();
  }
});
