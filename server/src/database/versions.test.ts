/** What the portal stores, on every version that its own database may have. */
import { addEntryPoint, getConfig, undoConfigChange } from '@portal/contract/app-config';
import { countAudit, getAudit, getRecentChanges } from '@portal/contract/audit';
import { getSchedules, mergeSchedule } from '@portal/contract/deployments';
import { getAccessHistory, getTeamNames, migrateApp, revertAccess } from '@portal/contract/schema-access';
import { deleteSession, getSession } from '@portal/contract/session';
import { getOnCall, getPortalShifts, importShifts } from '@portal/contract/support-roster';
import { getSyncDashboards, saveSyncDashboard } from '@portal/contract/sync/dashboards';
import { oldestVersions } from '@portal/kit/postgres/server-version';
import { findTestVersions, type TestServer as PostgresTestServer } from '@portal/kit/postgres/test-versions';
import type { HeliumSimulator } from '@portal/simulators/helium/simulator';
import { smallEnvironment } from '@portal/simulators/helium/small-environment';
import { startTestSimulator } from '@portal/simulators/helium/test-simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SnapshotSchedule } from '../features/db-spy/snapshots/snapshot-schedule.ts';
import type { TestClient } from '../testing/test-client.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

const versions = findTestVersions().filter(({ major }) => major >= oldestVersions.portalDatabase);
const team = 'Field support';

let helium: HeliumSimulator;
beforeAll(async () => {
  helium = await startTestSimulator();
});
afterAll(() => helium.stop({ dropDatabases: true }));

describe.each(versions)('the portal with its database on $name', ({ startExclusive }) => {
  let postgres: PostgresTestServer;
  let server: TestServer;
  let client: TestClient;
  let appId: string;

  beforeAll(async () => {
    const { name, timeZone } = smallEnvironment;
    const teamUsers = helium.teams.map((each) => each.name);
    postgres = await startExclusive();
    server = await startTestServer({
      environments: [{ name, timeZone, baseUrl: helium.baseUrl, dataSources: [...helium.dataSources], teamUsers }],
      databaseUrl: postgres.url,
      roles: [{ role: 'admin', users: ['demo'] }],
      supportRoster: { teams: [{ name: team }] },
      deployments: { teams: [{ name: 'Health', projects: [{ key: 'VISIT', name: 'Visits' }] }] },
    });
    appId = helium.app('Clinic Visits').id;
    client = await server.signIn('demo', 'demo');
  });
  afterAll(async () => {
    await server.stop();
    await postgres.stop();
  });

  it('keeps sessions until they end', async () => {
    const other = await server.signIn('health.dev', 'health');
    expect(await other.call(getSession, undefined)).toMatchObject({ username: 'health.dev' });
    await other.call(deleteSession, undefined);
    expect((await other.attempt(getSession, undefined)).status).toBe(401);
  });

  it('audits a change, finds it, and undoes it', async () => {
    await client.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    const filter = { search: 'nightly 15', outcome: 'done' } as const;
    expect((await client.call(getAudit, filter)).entries).toHaveLength(1);
    expect(await client.call(countAudit, filter)).toEqual({ count: 1, searchedSince: null });
    expect(await client.call(getRecentChanges, undefined)).toMatchObject([{ resource: appId }]);
    await client.call(undoConfigChange, { appId });
    expect(await client.call(getConfig, { appId })).toMatchObject({ processEntryPointTimeouts: {} });
  });

  it('stores schedules of deployments', async () => {
    const create = { ...mergeSchedule, path: '/portal-backend/api/deployment/merge/null' } as const;
    const schedule = await client.call(create, {
      environment: 'Production',
      dataSource: helium.app('Clinic Visits').dataSource.heliumDataSourceName,
      team: 'Health',
      jiraProject: 'VISIT',
      appIds: [appId],
      releaseTag: 'https://bitbucket.org/clinic/commits/tag/DEPLOY_clinic_20301204',
      releaseName: 'Helium Apps - 20301204',
      releaseGroup: 'clinic',
      deploymentDate: '2030-12-04T16:00:00.000Z',
    });
    expect(await client.call(getSchedules, undefined)).toEqual([schedule]);
  });

  it('stores imported shifts and dashboards', async () => {
    const csv = 'name,number,start,end\nA,+27 82 555 0101,2026-01-01 00:00,2036-01-01 00:00';
    await client.call(importShifts, { team, csv, replace: true });
    await expect.poll(() => client.call(getPortalShifts, { team })).toMatchObject([{ name: 'A' }]);
    expect(await client.call(getOnCall, { team })).toMatchObject([{ team, now: [{ name: 'A' }] }]);
    await client.call(saveSyncDashboard, { name: 'Health', appIds: [appId] });
    expect(await client.call(getSyncDashboards, undefined)).toEqual([
      { name: 'Health', appIds: [appId], refusal: null },
    ]);
  });

  it('stores grants of access with their inverse, and snapshots of statistics', async () => {
    const [teamUser = ''] = await client.call(getTeamNames, undefined);
    await client.call(migrateApp, { teamUser, appId });
    const [granted] = await client.call(getAccessHistory, {});
    await client.call(revertAccess, { grantId: granted?.id ?? '' });
    expect(await client.call(getAccessHistory, {})).toMatchObject([{ id: granted?.id, state: 'reverted' }]);
    await new SnapshotSchedule(server.dependencies).tick();
    const { rows } = await server.dependencies.pool.query('select data_source from statement_snapshot order by 1');
    expect(rows.map((row) => row.data_source)).toEqual(['helium-app-1', 'helium-app-2']);
  });
});
