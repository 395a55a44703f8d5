import type { DemoEnvironment } from '@portal/simulators/helium/demo';

interface Release {
  /** Weekdays from today; 0 is today and applies on weekdays only. */
  readonly in: number;
  readonly at?: string;
  readonly team: string;
  readonly project: string;
  readonly group: string;
  readonly apps: readonly string[];
  readonly instructions?: string;
  readonly resolved?: true;
}

const releases: readonly Release[] = [
  { in: 0, team: 'Health Team', project: 'STOCK', group: 'stock', apps: ['Stock Visibility'] },
  { in: 1, team: 'Health Team', project: 'CHV', group: 'chv', apps: ['Community Health Visits'], resolved: true },
  {
    in: 1,
    team: 'Farming Team',
    project: 'VOUCH',
    group: 'vouchers',
    apps: ['Farmer Input Vouchers', 'Grain Collection'],
    instructions: 'Lock both apps first. The migration of voucher lots takes about ten minutes.',
  },
  { in: 2, team: 'Health Team', project: 'COLD', group: 'coldchain', apps: ['Vaccine Cold Chain'] },
  {
    in: 2,
    at: '19:15:00',
    team: 'Health Team',
    project: 'CMD',
    group: 'dispensing',
    apps: ['Chronic Medicine Dispensing'],
    instructions: 'Notify the pharmacies in the Eastern region when it is done.',
  },
  { in: 4, team: 'Farming Team', project: 'LIVE', group: 'livestock', apps: ['Livestock Traceability'] },
  { in: 6, team: 'Health Team', project: 'MAL', group: 'malaria', apps: ['Malaria Case Surveillance'], resolved: true },
  {
    in: 9,
    at: '06:30:00',
    team: 'Integrations',
    project: 'SYNC',
    group: 'sync',
    apps: ['Stock Visibility', 'Community Health Visits'],
  },
];

interface DemoApp {
  readonly id: string;
  readonly name: string;
}

/**
 * Schedules demo deployments through the portal's API, as the demo user would, if there are none
 * yet. Throws the portal's error if a call is refused.
 *
 * @param portal The portal's address.
 */
export async function scheduleDemoDeployments(
  portal: string,
  { name: environment, timeZone, dataSources }: DemoEnvironment,
  sourceControlPrefix: string,
): Promise<void> {
  const call = async <T>(path: string, body?: object): Promise<T> => {
    const response = await fetch(`${portal}/portal-backend/api/deployment/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Basic ${btoa('demo:demo')}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify({ environment, ...body }) }),
    });
    if (!response.ok) throw new Error(await response.text());
    // The portal runs from the same checkout and has validated the response against its contract.
    return response.json() as Promise<T>;
  };
  const existing = await call<unknown[]>(`list?environment=${encodeURIComponent(environment)}`);
  if (existing.length > 0) return;

  for (const { heliumDataSourceName: dataSource } of dataSources) {
    const apps = await call<DemoApp[]>('apps', { dataSource });
    for (const release of releases) {
      const appIds = apps.filter(({ name }) => release.apps.includes(name)).map(({ id }) => id);
      const deploymentDate = getDeploymentDate(release, timeZone);
      if (appIds.length !== release.apps.length || deploymentDate === null) continue;
      const day = deploymentDate.slice(0, 10).replaceAll('-', '');
      const { id } = await call<{ id: string }>('merge/null', {
        dataSource,
        team: release.team,
        jiraProject: release.project,
        appIds,
        releaseTag: `${sourceControlPrefix}example/${release.group}/commits/tag/DEPLOY_${release.group}_${day}`,
        releaseName: `${release.apps[0]} - ${day}`,
        releaseGroup: release.group,
        deploymentDate,
        instructions: release.instructions ?? '',
      });
      if (release.resolved) await call(`resolve/${id}`, {});
    }
  }
}

/**
 * Returns the local date and time in the zone; null if it has passed today, or if today is not a
 * weekday.
 */
function getDeploymentDate({ in: weekdays, at = '18:00:00' }: Release, timeZone: string): string | null {
  const [today = '', now = ''] = new Date().toLocaleString('sv-SE', { timeZone }).split(' ');
  const day = new Date(`${today}T00:00:00Z`);
  const isWeekend = () => [0, 6].includes(day.getUTCDay());
  if (weekdays === 0) return isWeekend() || now >= at ? null : `${today}T${at}`;
  for (let left = weekdays; left > 0; ) {
    day.setUTCDate(day.getUTCDate() + 1);
    if (!isWeekend()) left -= 1;
  }
  return `${day.toISOString().slice(0, 10)}T${at}`;
}
