import type { StoredIntegration } from './integration.ts';

type Named = Pick<StoredIntegration, 'environment' | 'appId' | 'id' | 'config'>;

/**
 * What the keys of one integration begin with: its number is never used twice, so an earlier one of
 * the same app is another.
 */
export function stateKeysOf({ environment, appId, id }: Pick<Named, 'environment' | 'appId' | 'id'>): string {
  return `${environment}/${appId}/${id}/`;
}

/**
 * By what the state knows an integration. Moved to another schema or deployment it begins anew:
 * there, what was known of the one before would look like deletions.
 */
export function stateKeyOf(integration: Named): string {
  const { helium, journey } = integration.config;
  return `${stateKeysOf(integration)}${helium.dbSchema}/${journey.restAPICredentials.userName}`;
}
