/**
 * The engine's interface to an app's schema in a Helium database. Calls that belong to a
 * transaction receive its client, because rows, cursors and engine state change atomically.
 */

import type pg from 'pg';
import type { TransactionHolder } from '../integration/figures.ts';
import type { ObjectMap } from '../mapping/object-map.ts';
import type { HeliumBlob } from '../record/blob.ts';
import type { Fields } from '../record/fields.ts';
import type { KeyMap, RecordKey } from '../record/record-key.ts';
import type { ReadCatalog } from './read-catalog.ts';

export type Db = Pick<pg.ClientBase, 'query'>;

/** A row in the form the engine compares. */
export interface HeliumRow {
  readonly id: string;
  readonly fields: Fields;
  /** `_tstamp_` in milliseconds since 1970, as UTC. */
  readonly changedAtMs: number;
  /** `_tx_id_`: the transaction that changed the row last. Decimal text. */
  readonly txId: string;
  /** Whether a decimal of the row has more digits than its field, and Journey, can hold. */
  readonly isRounded?: boolean;
  /** Why PostgreSQL cannot compute columns of the row, which are null here: what it raises. */
  readonly unreadable?: { readonly kind: string; readonly reason: string };
}

export interface LockedRows {
  /** No other session changes them until the transaction ends. */
  readonly locked: readonly HeliumRow[];
  /** Rows that another session has locked, as they were before its transaction. */
  readonly busy: readonly HeliumRow[];
}

/** The change-log entry at the cursor, as it was read: a different one there means a restore. */
export interface ChangeLogPoint {
  readonly seq: string;
  readonly table: string;
  readonly id: string;
  readonly txId: string | null;
  /** Whether it was deleted from the log as one of the oldest. Its number is not used again. */
  readonly isCleared?: boolean;
}

export interface ChangedKey extends RecordKey {
  /**
   * Whether no entry of the page names its creation or deletion. It says nothing about the row now.
   */
  readonly isOnlyUpdated: boolean;
}

export interface ChangeLogPage {
  /** Changed records, each once, in the order of their change numbers. */
  readonly keys: readonly ChangedKey[];
  /**
   * The cursor of the next page: the last number of this page, or the horizon on the last page.
   * Decimal text.
   */
  readonly cursor: string;
  /** Whether the page ends at the horizon. */
  readonly isLast: boolean;
  /** The last entry up to the page's cursor that was read; null when none is known. */
  readonly point: ChangeLogPoint | null;
  /** Whether the entry that the request named is still there. Otherwise the page is empty. */
  readonly isProven: boolean;
  /** Whether the log ends before the requested cursor. Then the page is empty. */
  readonly isBeyondEnd: boolean;
}

/** What became of an entry that was read earlier. */
export type ChangeLogFinding =
  | { readonly kind: 'proven' }
  /** The oldest entries were deleted, up to this one. */
  | {
      readonly kind: 'cleared';
      /** What is known of the entry from now on. */
      readonly point: ChangeLogPoint;
      /** Whether no number was drawn after it, so that no unread entry was deleted. */
      readonly isLast: boolean;
    }
  | {
      readonly kind: 'restored';
      /** How it is known, one sentence. */
      readonly evidence: string;
      /** The time of the log's newest entry when it ends before this one; null if unknown. */
      readonly asOf: Date | null;
    };

/** An open transaction that blocks further reading of the change log. */
export type HorizonHolder = TransactionHolder;

export interface HeliumWrite {
  readonly key: RecordKey;
  /** null deletes the row. An insert has every mapped column, an update only the changed ones. */
  readonly fields: Fields | null;
  readonly isInsert: boolean;
  /** Becomes `_tstamp_`, unless the row's is later. */
  readonly changedAtMs: number;
  /** The bytes of each blob that `fields` names by its hash, by column. */
  readonly blobs?: Readonly<Record<string, HeliumBlob>>;
}

export interface WriteOptions {
  /**
   * Whether rows whose values others have are left to wait, because later writes may free these.
   * Otherwise they are tried, because only PostgreSQL knows whether it accepts them.
   */
  readonly leavesBlocked?: boolean;
}

/** What is read of a file in a row to find out whether it is whole. */
export interface StoredFileParts {
  readonly id: string;
  readonly column: string;
  /** At most 4 KiB. */
  readonly start: Buffer;
  /** At most 16 bytes. */
  readonly end: Buffer;
  /** In bytes. */
  readonly size: number;
  /** As the row states it, in lower case; '' when it does not. */
  readonly mediaType: string;
}

export type HeliumOutcome =
  | { readonly status: 'written' }
  /** Parents it refers to do not exist yet. */
  | { readonly status: 'parked'; readonly missing: readonly RecordKey[] }
  /** PostgreSQL refuses the row: overflow, a check, a unique key, whatever a trigger raises. */
  | {
      readonly status: 'refused';
      readonly kind: string;
      readonly reason: string;
      /** Whether its code is one of failures that end: the same write may succeed later. */
      readonly isTemporary?: boolean;
      /** The rows that have the value of a unique key which the record is to get. */
      readonly blockedBy?: readonly RecordKey[];
    }
  /** Another session has locked a row that the write needs, or was faster. It may succeed soon. */
  | {
      readonly status: 'waiting';
      readonly reason: string;
      /** The rows that have the value of a unique key which the record is to get. */
      readonly blockedBy?: readonly RecordKey[];
    };

export interface VersionProblem {
  /** Whether the log ends before the version. Otherwise entries after it were deleted. */
  readonly isAhead: boolean;
  /** One or two sentences for operators. */
  readonly reason: string;
}

export interface HeliumGateway {
  readonly schema: string;
  /** Connects with the rights of the app. */
  readonly pool: pg.Pool;
  /** Sees locks and sessions of everyone, and may read no relation of an app. */
  readonly reading: pg.Pool;
  /**
   * Reads tables, columns, keys, and which tables are tracked. Returns the same object while
   * nothing has changed.
   */
  readonly readCatalog: ReadCatalog;
  /** Returns the highest visible number of the change log, '0' when it is empty. */
  readHead(): Promise<string>;
  /** Finds out what became of an entry that was read earlier. */
  findPoint(db: Db, point: ChangeLogPoint): Promise<ChangeLogFinding>;
  /** Returns why the change log cannot be read from a given version; null when it can. */
  findVersionProblem(version: string): Promise<VersionProblem | null>;
  /** Returns the last entry this transaction has written; null when there is none. */
  readOwnPoint(db: Db): Promise<ChangeLogPoint | null>;
  /**
   * Reads the next changed records after the cursor, up to a horizon below which nothing can become
   * visible any more. Waits for the writers that hold the horizon, and reports them. Returns an
   * empty last page when there is nothing. `point` is the last entry read before; null trusts the
   * log.
   */
  readChangeLog(request: {
    readonly cursor: string;
    readonly point: ChangeLogPoint | null;
    readonly limit: number;
    readonly signal: AbortSignal;
    readonly onHeld?: (holder: HorizonHolder | null) => void;
  }): Promise<ChangeLogPage>;
  /** Reads the rows that exist, in no particular order. */
  readRows(db: Db, map: ObjectMap, ids: readonly string[]): Promise<HeliumRow[]>;
  /** Locks rows until the transaction ends, without waiting for other sessions. */
  lockRows(db: Db, map: ObjectMap, ids: readonly string[]): Promise<LockedRows>;
  /** Returns who has locked these rows, by id, for operators; see `describe-row-locks.ts`. */
  describeRowLocks(db: Db, table: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Reads rows in the order of their ids, starting after `afterId`. */
  readRowsAfter(db: Db, map: ObjectMap, afterId: string | null, limit: number): Promise<HeliumRow[]>;
  /**
   * Returns the times of these transactions, in milliseconds. Transactions of plain SQL are not in
   * Helium's transaction log.
   */
  readTransactionTimes(db: Db, txIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * Returns which of these records the change log reports as deleted, and when, in milliseconds;
   * null when the transaction log does not have it. Looks in at most `limit` entries after the
   * cursor, or in all.
   */
  readDeletionTimes(
    db: Db,
    keys: readonly RecordKey[],
    after: { readonly cursor: string; readonly limit: number | null },
  ): Promise<KeyMap<number | null>>;
  /**
   * Returns, by row, the columns that have the default with which they were added to older rows,
   * and that no one has entered since.
   */
  findUntouched(db: Db, map: ObjectMap, ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Returns which of these records the change log names after the cursor. */
  findChanged(db: Db, keys: readonly RecordKey[], cursor: string): Promise<KeyMap<true>>;
  /**
   * Returns whole rows by id, with the columns that are not mapped, as PostgreSQL's JSON; without
   * the bytes of files, the id and the columns of the change log.
   */
  readWholeRows(db: Db, table: string, ids: readonly string[]): Promise<ReadonlyMap<string, object>>;
  readBlob(db: Db, map: ObjectMap, id: string, column: string): Promise<HeliumBlob | null>;
  /** Reads the starts and the ends of all files in these rows. */
  readFileParts(db: Db, map: ObjectMap, ids: readonly string[]): Promise<StoredFileParts[]>;
  /**
   * Writes everything that can be written and returns one outcome per write, in the given order. A
   * failed write does not affect the others. Inserts parents first, deletes children first, and
   * resolves cycles in two passes. A write that meets another session's lock is given up when the
   * transaction's lock timeout ends.
   */
  write(
    db: Db,
    objects: readonly ObjectMap[],
    writes: readonly HeliumWrite[],
    options?: WriteOptions,
  ): Promise<HeliumOutcome[]>;
}
