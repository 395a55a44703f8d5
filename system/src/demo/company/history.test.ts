import { getAudit, getRecentChanges } from '@portal/contract/audit';
import { getSchedules } from '@portal/contract/deployments';
import { withClient } from '@portal/kit/postgres/pool';
import { startTestServer } from '@portal/server/testing/test-server';
import { startTestSimulator } from '@portal/simulators/helium/test-simulator';
import { expect, test } from 'vitest';
import { addCompanyHistory } from './history.ts';

test('adds deployments and audit entries once, which the portal shows', async () => {
  const simulator = await startTestSimulator();
  const { baseUrl } = simulator;
  const portal = await startTestServer({
    environments: [{ name: 'Production', baseUrl, timeZone: 'Africa/Johannesburg' }],
  });
  try {
    const { id, name, schemaName, dataSource } = simulator.app('Clinic Visits');
    const history = {
      environment: 'Production',
      timeZone: 'Africa/Johannesburg',
      apps: [{ id, name, schemaName, dataSource: dataSource.heliumDataSourceName }],
      teams: ['Team A', 'Team B'],
      deployments: 36,
      auditEntries: 50,
    };
    const indexes = await listAuditIndexes(portal.databaseUrl);
    expect(indexes).toContainEqual(expect.stringContaining('audit_entry_by_time '));
    await addCompanyHistory(portal.databaseUrl, history);
    await addCompanyHistory(portal.databaseUrl, history);
    expect(await listAuditIndexes(portal.databaseUrl)).toEqual(indexes);
    const client = await portal.signIn('demo', 'demo');
    const schedules = await client.call(getSchedules, {});
    expect(schedules).toHaveLength(36);
    expect(schedules.filter(({ scheduleStatus }) => scheduleStatus === 'RESOLVED')).toHaveLength(29);
    expect(new Set(schedules.map(({ appNames }) => String(appNames)))).toEqual(new Set([name]));
    const { entries } = await client.call(getAudit, { action: 'functions.toggle' });
    expect(entries).toHaveLength(47);
    const changes = await client.call(getRecentChanges, undefined);
    expect(changes).toContainEqual(expect.objectContaining({ action: 'functions.toggle', outcome: 'done' }));
  } finally {
    await portal.stop();
    await simulator.stop({ dropDatabases: true });
  }
});

async function listAuditIndexes(connectionString: string): Promise<string[]> {
  return withClient({ connectionString }, async (client) => {
    const { rows } = await client.query<{ sql: string }>(
      `select indexdef as sql from pg_indexes where tablename = 'audit_entry' order by indexname`,
    );
    return rows.map(({ sql }) => sql);
  });
}
