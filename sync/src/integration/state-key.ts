import type { StoredIntegration } from './integration.ts';

type StateOwner = Pick<StoredIntegration, 'environment' | 'appId' | 'id' | 'config'>;

/**
 * What the keys of one integration begin with: its number is never used twice, so an earlier one of
 * the same app is another.
 */
export function getStateKeyPrefix({
  environment,
  appId,
  id,
}: Pick<StateOwner, 'environment' | 'appId' | 'id'>): string {
  return `${environment}/${appId}/${id}/`;
}

/**
 * By what the state knows an integration. Moved to another schema or deployment it begins anew:
 * there, what was known of the one before would look like deletions.
 */
export function getStateKey(integration: StateOwner): string {
  const { helium, journey } = integration.config;
  return `${getStateKeyPrefix(integration)}${helium.dbSchema}/${journey.restAPICredentials.userName}`;
}
