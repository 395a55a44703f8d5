import type { SyncIntegration } from '@portal/contract/sync/integration';

/** How long an answer may be overdue before the last one counts as outdated. */
export const maxOverdueMs = 25_000;

export interface Outage {
  /** When the shown data was loaded. */
  readonly sinceMs: number;
  readonly nowMs: number;
  /** What did not answer: "the portal's database". */
  readonly part: string;
}

type Shown = Pick<SyncIntegration, 'status' | 'health' | 'heliumSyncStatus' | 'journeySyncStatus'>;

/**
 * Returns what is known of integrations while they cannot be loaded: none is fresh, and enabled
 * ones state what did not answer, and since when.
 */
export function markOutdated<T extends Shown>(
  integrations: readonly T[],
  { sinceMs, nowMs, part }: Outage,
): readonly T[] {
  const text = `Waiting for an answer from ${part} since ${Math.max(0, Math.round((nowMs - sinceMs) / 1000))} s`;
  const replace = (state: string) => (state === 'Off' ? state : text);
  return integrations.map((integration) => {
    const { status, health, heliumSyncStatus, journeySyncStatus } = integration;
    if (status !== 'Enabled') return integration;
    return {
      ...integration,
      health: health === 'Fresh' ? 'Late' : health,
      heliumSyncStatus: replace(heliumSyncStatus),
      journeySyncStatus: replace(journeySyncStatus),
    };
  });
}
