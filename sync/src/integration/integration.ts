import type { SyncConfig } from '@portal/contract/sync-config';
import type { SyncStatus } from '@portal/contract/sync-integration';
import type { Figures } from './figures.ts';

export interface StoredIntegration {
  /**
   * Decimal digits; never used twice, so state left behind by one that was deleted cannot be taken
   * for this one's.
   */
  readonly id: string;
  readonly appId: string;
  readonly environment: string;
  readonly appName: string;
  readonly dataSource: string;
  /** Without the password; `enabled` says the same as the status. */
  readonly config: SyncConfig;
  /** Counts the saves. */
  readonly configVersion: number;
  readonly status: SyncStatus;
  readonly haltReason: string | null;
  /** ISO. */
  readonly haltedSince: string | null;
  /** Of the last act of a person; ISO, later with each. */
  readonly changedAt: string;
  readonly changedBy: string;
  /** As they were last written down. */
  readonly figures: Figures;
}
