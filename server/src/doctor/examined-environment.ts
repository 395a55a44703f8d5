import type { ExaminedEnvironment } from '@portal/platforms/doctor/examine-environment';
import type { OutgoingTarget } from '@portal/platforms/doctor/examine-proxies';
import type { Config, EnvironmentConfig } from '../config.ts';

/** Returns what the doctor examines of an environment of the configuration. */
export function toExaminedEnvironment(
  config: Config,
  { name, baseUrl, helium, dataSources, teamUsers }: EnvironmentConfig,
  credentials: ExaminedEnvironment['platform']['credentials'],
): ExaminedEnvironment {
  return {
    name,
    platform: { baseUrl, credentials, timeoutMs: config.platformTimeoutSeconds * 1_000 },
    dialect: helium,
    dataSources: dataSources.map(({ heliumDataSourceName, url, grantUrl }) => ({
      name: heliumDataSourceName,
      url: url.reveal(),
      grantUrl: grantUrl?.reveal(),
      teams: teamUsers,
    })),
    outgoing: listOutgoing(config, baseUrl),
    fileHosts: config.sync.fileHosts,
  };
}

/**
 * Returns the systems of the configuration that are called over HTTP. Journey deployments belong to
 * integrations.
 */
function listOutgoing({ deployments, devClient, supportRoster }: Config, platformUrl: string): OutgoingTarget[] {
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
