import type { OutgoingTarget } from '@portal/platforms/doctor/examine-proxies';
import type { Config } from '../config.ts';

/**
 * Returns the systems of the configuration that are called over HTTP. Journey deployments belong to
 * integrations.
 */
export function listOutgoing(
  { deployments, devClient, supportRoster }: Pick<Config, 'deployments' | 'devClient' | 'supportRoster'>,
  platformUrl: string,
): OutgoingTarget[] {
  const { jira } = deployments;
  const { teams, pagerDuty } = supportRoster;
  const calendars = teams.flatMap(({ calendar }) => (calendar ? [calendar.reveal()] : []));
  const targets = [
    { name: 'Helium', url: platformUrl },
    ...(jira ? [{ name: 'Jira', url: jira.baseUrl }] : []),
    ...(devClient ? [{ name: 'Release repository', url: devClient.metadataUrl.reveal() }] : []),
    ...(pagerDuty ? [{ name: 'PagerDuty', url: pagerDuty.baseUrl }] : []),
    ...calendars.map((url) => ({ name: 'Calendar', url })),
  ];
  // Without paths and credentials; of several calendars of a host, one counts.
  const origins = new Map(
    targets.map(({ name, url }) => [`${name} ${new URL(url).origin}`, { name, url: new URL(url).origin }]),
  );
  return [...origins.values()];
}
