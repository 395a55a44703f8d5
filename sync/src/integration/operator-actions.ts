/**
 * What the API asks the engine besides running integrations: everything that is kept in, or read
 * from, the two platforms. Whatever process is asked answers, whether or not it runs the
 * integration; after a change it nudges the one that does.
 */
import type { ResponseOf } from '@portal/contract/endpoint';
import type { getConflicts, getHeldRecords, testConnection } from '@portal/contract/sync';
import type { SyncConfig } from '@portal/contract/sync-config';
import type { DriftPoint } from '@portal/contract/sync-drift';
import type { SyncDirection } from '@portal/contract/sync-records';
import type { Secret } from '@portal/kit/secret';
import type { StoredIntegration } from './integration.ts';

/** A configuration that need not be stored yet. */
export interface ConnectionTarget {
  readonly environment: string;
  readonly appId: string;
  /** The configured data source whose database holds the schema. */
  readonly dataSource: string;
  readonly config: SyncConfig;
  readonly journeyPassword: Secret;
}

interface PageRequest {
  /** Reads on behind this number. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Either these, or all of a kind. */
export type HeldSelection = { readonly numbers: readonly string[] } | { readonly kind: string };

export interface OperatorActions {
  /**
   * Tries both ends. `problems` are what keeps the configuration from being saved while enabled:
   * tables, fields and types that are not there or cannot be, by the configuration's field; `notes`
   * is told and keeps nobody from anything. An end that is not reached is told as such, never
   * thrown.
   */
  testConnection(target: ConnectionTarget, signal: AbortSignal): Promise<ResponseOf<typeof testConnection>>;
  readHeld(
    integration: StoredIntegration,
    request: PageRequest & { readonly state?: 'parked' | 'dead' | 'skipped' | undefined },
  ): Promise<ResponseOf<typeof getHeldRecords>>;
  readConflicts(integration: StoredIntegration, request: PageRequest): Promise<ResponseOf<typeof getConflicts>>;
  /** How many records it was. */
  retry(integration: StoredIntegration, selection: HeldSelection): Promise<number>;
  skip(integration: StoredIntegration, selection: HeldSelection): Promise<number>;
  /**
   * Called while nobody runs it; writes the fence down, so that a run that does not know yet is
   * refused.
   */
  moveCursor(
    integration: StoredIntegration,
    to: { readonly fence: string; readonly direction: SyncDirection; readonly version: string },
  ): Promise<void>;
  /** What former comparisons of both sides found, per table, the oldest first. */
  readDrift(integration: StoredIntegration): Promise<DriftPoint[]>;
  /** Asks the run, wherever it is, for a whole comparison. */
  requestComparison(integration: StoredIntegration): Promise<void>;
  /**
   * Removes all that is kept of it. When that fails it is deleted all the same: what stays behind
   * bears its id, and must not be taken for another one's, of the same app.
   */
  deleteState(integration: StoredIntegration, fence: string): Promise<void>;
}
