/**
 * Names the other integrations that use the same Journey deployment or the same schema of a
 * database. Both may be meant, but an operator who copies a configuration must notice it.
 */
import type { ResponseOf } from '@portal/contract/endpoint';
import type { testConnection } from '@portal/contract/sync/config';
import { normalizeJourneyBaseUrl } from '@portal/platforms/journey/base-url';
import type { ConnectionTarget } from '../integration/operator-actions.ts';
import { listOtherUses, type PlatformUse } from '../portal-store/platform-users.store.ts';
import type { ServiceParts } from '../setup/service-parts.ts';

type ConnectionTest = ResponseOf<typeof testConnection>;
type Note = ConnectionTest['notes'][number];

/**
 * Adds a warning for each of them, before the other notes. Names none of a platform that was not
 * reached, because only its credentials entitle a user to know who else uses it.
 */
export async function noteSharedPlatforms(
  parts: Pick<ServiceParts, 'pool' | 'config'>,
  target: ConnectionTarget,
  test: ConnectionTest,
): Promise<ConnectionTest> {
  const { config, environment, dataSource } = target;
  const { journey } = config;
  const others = await listOtherUses(parts.pool, target);
  const deployment = getDeployment(journey.baseUrl, journey.restAPICredentials.userName);
  const schema = getSchema(parts, { environment, dataSource, schema: config.helium.dbSchema });
  const usersOf = (isSame: (other: PlatformUse) => boolean, object: string): Note[] =>
    others.filter(isSame).map(({ environment, appName }) => ({
      severity: 'warning',
      object,
      field: null,
      reason: `The integration of ${appName} in ${environment} uses it, too.`,
    }));
  const shared = [
    ...(test.journey.reached
      ? usersOf((other) => getDeployment(other.journeyUrl, other.journeyUserName) === deployment, 'Journey deployment')
      : []),
    ...(test.helium.reached ? usersOf((other) => getSchema(parts, other) === schema, 'Helium schema') : []),
  ];
  return { ...test, notes: [...shared, ...test.notes] };
}

function getDeployment(url: string, userName: string): string {
  try {
    return normalizeJourneyBaseUrl(url, userName);
  } catch {
    // A disabled integration may be stored with an address that is not complete.
    return url;
  }
}

/** Two environments may name the same database differently. */
function getSchema(
  { config }: Pick<ServiceParts, 'config'>,
  { environment, dataSource, schema }: Pick<PlatformUse, 'environment' | 'dataSource' | 'schema'>,
): string {
  const source = config.environments
    .find(({ name }) => name === environment)
    ?.dataSources.find(({ heliumDataSourceName }) => heliumDataSourceName === dataSource);
  if (!source) return JSON.stringify([environment, dataSource, schema]);
  const { hostname, port, pathname } = new URL(source.url.reveal());
  return JSON.stringify([hostname, port || '5432', pathname, schema]);
}
