/**
 * The OperatorActions are what the API requests from the engine besides running integrations: reads
 * and changes of engine state and of both platforms. Any process can perform them; after a change,
 * the caller wakes the run.
 */
import type { ResponseOf } from '@portal/contract/endpoint';
import type { SyncConfig, testConnection } from '@portal/contract/sync/config';
import type { ConflictField, getConflicts, reviewConflicts, TakenValue } from '@portal/contract/sync/conflicts';
import type { DriftPoint, getDifferences } from '@portal/contract/sync/drift';
import type { EnrollmentStatus } from '@portal/contract/sync/enrollment-status';
import type { FoundRecord, FoundRecords } from '@portal/contract/sync/find';
import type { getHeldRecords, getWaitingFiles, HeldState, SyncDirection } from '@portal/contract/sync/records';
import type { RecoveryAnswer, RecoveryQuestion } from '@portal/contract/sync/recovery';
import type { Secret } from '@portal/kit/secret';
import type { Figures } from './figures.ts';
import type { StoredIntegration } from './integration.ts';

/** A configuration to test; it may not be stored yet. */
export interface ConnectionTarget {
  readonly environment: string;
  readonly appId: string;
  /** The configured data source whose database holds the schema. */
  readonly dataSource: string;
  readonly config: SyncConfig;
  readonly journeyPassword: Secret;
  /** Whether it is not stored yet, so that the logs are read from its versions. */
  readonly isNew: boolean;
}

interface PageRequest {
  /** Returns the records after this number. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Held records by number, or all of one kind. */
export type HeldSelection = { readonly numbers: readonly string[] } | { readonly kind: string };

export interface ConflictFilter {
  /** undefined for all */
  readonly isReviewed?: boolean | undefined;
  readonly field?: ConflictField | undefined;
}

/** Conflicts by number, or those of a field after a number. */
export type ConflictSelection =
  | { readonly numbers: readonly string[] }
  | { readonly field: ConflictField; readonly after: string | null };

export interface ConflictReview {
  readonly selection: ConflictSelection;
  readonly take: TakenValue;
  /** For `take: 'value'`: a text that PostgreSQL reads as the column's type. */
  readonly value: string | null;
  /** The user. */
  readonly by: string;
}

/** By id, in one table or in all, or by the value of a column; without either, finds nothing. */
export interface RecordSearch {
  readonly id?: string | undefined;
  readonly table?: string | undefined;
  readonly column?: string | undefined;
  readonly value?: string | undefined;
  readonly journeyPassword: Secret;
}

/** Found records without the lines of the log. */
export interface FoundInStores extends Omit<FoundRecords, 'records' | 'isLoggingIds'> {
  readonly records: Omit<FoundRecord, 'lines'>[];
}

export interface StoppedIntegration {
  readonly integration: StoredIntegration;
  readonly journeyPassword: Secret;
}

/** How many entries wait in Journey's op-log, or why it was not read. */
export type OpLogBacklog = { readonly entries: number } | 'credentials-rejected' | 'unknown';

/** A file that lost a conflict. */
interface ConflictFile {
  readonly fileName: string;
  /** In bytes. */
  readonly size: number;
  readonly bytes: AsyncIterable<Buffer>;
}

export interface OperatorActions {
  /**
   * Counts what waits in the change logs of integrations that do not run, all of one data source,
   * in one statement for up to a hundred of them. Returns null for a schema without a change log.
   */
  readChangeLogBacklogs(
    integrations: readonly [StoredIntegration, ...StoredIntegration[]],
  ): Promise<({ readonly entries: number; readonly sinceMs: number | null } | null)[]>;
  /** Counts what waits in Journey's op-log, with one call. */
  readOpLogBacklog(stopped: StoppedIntegration, signal: AbortSignal): Promise<OpLogBacklog>;
  /**
   * Tests both connections. `problems` prevent the configuration from being saved enabled: missing
   * or unsupported tables, fields and types, by configuration field. `notes` are informational. A
   * side that cannot be reached is reported in the result, not thrown.
   */
  testConnection(target: ConnectionTarget, signal: AbortSignal): Promise<ResponseOf<typeof testConnection>>;
  /**
   * Counts what is held, in conflict or waits for a file; returns nothing when it has never run.
   */
  readCounts(integration: StoredIntegration): Promise<Partial<Figures>>;
  readHeld(
    integration: StoredIntegration,
    request: PageRequest & { readonly state?: HeldState | undefined },
  ): Promise<ResponseOf<typeof getHeldRecords>>;
  readConflicts(
    integration: StoredIntegration,
    request: PageRequest & ConflictFilter,
  ): Promise<ResponseOf<typeof getConflicts>>;
  /**
   * Marks conflicts as reviewed. Where another value than the winner's is taken, it is written into
   * Helium's row, for up to 200 conflicts of a field per call; those whose row has changed since,
   * is locked or is gone are returned with the reason.
   */
  reviewConflicts(integration: StoredIntegration, review: ConflictReview): Promise<ResponseOf<typeof reviewConflicts>>;
  /** Throws NotFound when the file is not kept any more. */
  readConflictFile(integration: StoredIntegration, no: string): Promise<ConflictFile>;
  /**
   * Writes a file that lost a conflict into Helium's row again, and keeps the file that it
   * replaces. Throws Conflict when the row is gone or locked, or its file cannot be kept.
   */
  restoreConflictFile(
    integration: StoredIntegration,
    no: string,
  ): Promise<{ readonly table: string; readonly id: string; readonly column: string }>;
  /** Lists records that differ on a side whose changes are not read. */
  readDifferences(
    integration: StoredIntegration,
    request: { readonly limit: number },
  ): Promise<ResponseOf<typeof getDifferences>>;
  readWaitingFiles(integration: StoredIntegration, request: PageRequest): Promise<ResponseOf<typeof getWaitingFiles>>;
  /** Retries files that wait, by number, and returns how many they are; null retries all. */
  retryFiles(integration: StoredIntegration, numbers: readonly string[] | null): Promise<number>;
  /** Lets Helium's changes no longer wait for these files, and returns how many they are. */
  skipFiles(integration: StoredIntegration, numbers: readonly string[]): Promise<number>;
  /**
   * Finds records, and reads Journey's objects live. A side that cannot be read is reported in the
   * result. Throws Invalid for what is not synced and for a search that takes too long.
   */
  findRecords(integration: StoredIntegration, search: RecordSearch, signal: AbortSignal): Promise<FoundInStores>;
  /** Requests that the run reads these records again on both sides. */
  requestLookAgain(
    integration: StoredIntegration,
    records: readonly { readonly table: string; readonly id: string }[],
  ): Promise<void>;
  /** Retries held records and returns their number. */
  retry(integration: StoredIntegration, selection: HeldSelection): Promise<number>;
  skip(integration: StoredIntegration, selection: HeldSelection): Promise<number>;
  /**
   * Returns why a direction cannot continue from a version: its log has not reached it, or no
   * longer holds it. null when it can, or when Journey does not respond.
   */
  findVersionProblem(
    integration: StoredIntegration,
    to: { readonly direction: SyncDirection; readonly version: string; readonly journeyPassword: Secret },
    signal: AbortSignal,
  ): Promise<string | null>;
  /**
   * Moves the cursor of a direction. Call it while no process runs the integration. Stores the
   * fence, so that an outdated run is rejected.
   */
  moveCursor(
    integration: StoredIntegration,
    to: { readonly fence: string; readonly direction: SyncDirection; readonly version: string },
  ): Promise<void>;
  /** Returns the open question; null when there is none, or its answer waits for the next run. */
  readQuestion(integration: StoredIntegration): Promise<RecoveryQuestion | null>;
  /**
   * Stores the answer for the next run. Call it while no process runs the integration. Returns
   * false, and stores nothing, when this question is no longer open.
   */
  answerQuestion(
    integration: StoredIntegration,
    answer: { readonly questionId: string; readonly answer: RecoveryAnswer; readonly fence: string },
  ): Promise<boolean>;
  /** Returns what enrollment read last, and who waits. */
  readEnrollment(integration: StoredIntegration): Promise<EnrollmentStatus>;
  /**
   * Requests a retry of what waits in enrollment, without subjects of all. Returns how many there
   * are.
   */
  retryEnrollment(integration: StoredIntegration, subjects: readonly string[] | null): Promise<number>;
  /** Consents to a removal that waits in enrollment. Returns of how many; 0 when none waits. */
  removeUnlisted(integration: StoredIntegration, subject: string): Promise<number>;
  /** Returns the results of earlier comparisons of both sides, per table, oldest first. */
  readDrift(integration: StoredIntegration): Promise<DriftPoint[]>;
  /**
   * Requests a full comparison from the run, whichever process it is in. An integration that has
   * never run has one in its first run.
   */
  requestComparison(integration: StoredIntegration): Promise<void>;
  /**
   * Deletes all engine state of the integration. When this fails, the integration is deleted all
   * the same: leftover state carries its id, so it is never mistaken for the state of another
   * integration of the same app.
   */
  deleteState(integration: StoredIntegration, fence: string): Promise<void>;
}
