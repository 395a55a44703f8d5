import * as contract from '@portal/contract/deployments';
import type { RequestOf } from '@portal/contract/endpoint';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import type { TestClient, TestResponse } from '../../testing/test-client.ts';
import type { TestServerOptions } from '../../testing/test-server.ts';

export type ScheduleRequest = RequestOf<typeof contract.mergeSchedule>;

/**
 * Returns 18:00 on the first weekday at least this many days from now, in Johannesburg, which has
 * no daylight saving time.
 */
export function nextWeekday(days: number): string {
  const date = new Date(Date.now() + days * 86_400_000);
  while ([0, 6].includes(date.getUTCDay())) date.setUTCDate(date.getUTCDate() + 1);
  return `${date.toISOString().slice(0, 10)}T16:00:00.000Z`;
}

/** A small world with deployments and a client that schedules them. */
export interface DeploymentsWorld extends SmallWorld {
  readonly client: TestClient;
  /** A valid schedule. */
  readonly request: ScheduleRequest;
  merge(id: string, payload: object, by?: TestClient): Promise<TestResponse>;
  /** Throws if the request is refused. */
  save(id: string, payload: object, by?: TestClient): Promise<contract.Schedule>;
  resolve(id: string, payload?: object): Promise<TestResponse>;
}

export async function startDeploymentsWorld(options: Partial<TestServerOptions> = {}): Promise<DeploymentsWorld> {
  const world = await startSmallWorld({
    ...options,
    deployments: {
      sourceControlPrefix: 'https://bitbucket.example.com',
      teams: [
        { name: 'Health Team', projects: [{ key: 'VISIT', name: 'Visits' }] },
        { name: 'Farm', projects: [{ key: 'FARM', name: 'Farm' }] },
        { name: 'HealthTeam', projects: [{ key: 'CLINIC', name: 'Clinics' }] },
      ],
    },
  });
  const client = await world.server.signIn('demo', 'demo');
  const app = world.helium.app('Clinic Visits');
  const send = (path: string, payload: object, by: TestClient) =>
    by.send('POST', `/portal-backend/api/deployment/${path}`, JSON.stringify(payload));
  const merge = (id: string, payload: object, by = client) => send(`merge/${id}`, payload, by);
  return {
    ...world,
    client,
    request: {
      environment: 'Production',
      dataSource: app.dataSource.heliumDataSourceName,
      team: 'Health Team',
      jiraProject: 'VISIT',
      appIds: [app.id],
      releaseTag: 'https://bitbucket.example.com/clinic/commits/tag/DEPLOY_clinic_20301204',
      releaseName: 'Helium Apps - 20301204',
      releaseGroup: 'clinic',
      deploymentDate: nextWeekday(7),
    },
    merge,
    async save(id, payload, by = client) {
      const { status, text } = await merge(id, payload, by);
      if (status !== 200) throw new Error(`merge returned ${status} ${text}`);
      return contract.scheduleSchema.parse(JSON.parse(text));
    },
    resolve: (id, payload = {}) => send(`resolve/${id}`, payload, client),
  };
}
