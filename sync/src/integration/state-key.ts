import type { StoredIntegration } from './integration.ts';

type StateOwner = Pick<StoredIntegration, 'environment' | 'appId' | 'id' | 'config'>;

/**
 * Returns the prefix of all state keys of one integration. The id is never reused, so an earlier
 * integration of the same app has another prefix.
 */
export function getStateKeyPrefix({
  environment,
  appId,
  id,
}: Pick<StateOwner, 'environment' | 'appId' | 'id'>): string {
  return `${environment}/${appId}/${id}/`;
}

/**
 * Returns the key of an integration's state. An integration that moves to another schema or
 * deployment starts over with a new key: there, the old state would look like deletions.
 */
export function getStateKey(integration: StateOwner): string {
  const { helium, journey } = integration.config;
  return `${getStateKeyPrefix(integration)}${helium.dbSchema}/${journey.restAPICredentials.userName}`;
}
