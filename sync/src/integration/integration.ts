import type { SyncConfig } from '@portal/contract/sync/config';
import type { SyncStatus } from '@portal/contract/sync/integration';
import type { Figures } from './figures.ts';

export interface StoredIntegration {
  /**
   * Decimal digits. Ids are never reused, so leftover state of a deleted integration is never
   * mistaken for this one's.
   */
  readonly id: string;
  readonly appId: string;
  readonly environment: string;
  readonly appName: string;
  readonly dataSource: string;
  /** The configuration without the password; `enabled` matches the status. */
  readonly config: SyncConfig;
  /** Incremented with each save. */
  readonly configVersion: number;
  readonly status: SyncStatus;
  readonly haltReason: string | null;
  /** ISO. */
  readonly haltedSince: string | null;
  /** Time of the last change by a user; ISO, strictly increasing. */
  readonly changedAt: string;
  readonly changedBy: string;
  /** The last stored figures. */
  readonly figures: Figures;
}
