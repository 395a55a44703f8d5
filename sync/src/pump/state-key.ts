import type { StoredIntegration } from '../store/integrations.store.ts';

/** By what the state knows an integration: its number is never used twice, so an earlier one of the same app is another. */
export function stateKeyOf({
  environment,
  appId,
  no,
}: Pick<StoredIntegration, 'environment' | 'appId' | 'no'>): string {
  return `${environment}/${appId}/${no}`;
}
