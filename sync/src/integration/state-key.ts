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

/** The state of one integration. */
export interface StateOfApp {
  /** The app's schema. */
  readonly schema: string;
  readonly stateKey: string;
  /** Where it starts if it has never run. */
  readonly from: { readonly changeLog: string; readonly opLog: string };
}

export function getStateOfApp(integration: StateOwner): StateOfApp {
  const { helium, heliumToJourney, journeyToHelium } = integration.config;
  return {
    schema: helium.dbSchema,
    stateKey: getStateKey(integration),
    from: {
      changeLog: heliumToJourney.changeLogMinVersionAsString,
      opLog: journeyToHelium.oplogMinVersionAsString,
    },
  };
}
