/**
 * What the engine needs of an app's schema in a Helium database. Calls that belong to a transaction
 * take its client, because rows, cursors and the engine's own state change together or not at all.
 */

import type pg from 'pg';
import type { ObjectMap } from '../mapping/object-map.ts';
import type { HeliumBlob } from '../record/blob.ts';
import type { Fields } from '../record/fields.ts';
import type { RecordKey } from '../record/record-key.ts';
import type { ReadCatalog } from './read-catalog.ts';

export type Db = Pick<pg.ClientBase, 'query'>;

/** A row as the engine compares it. */
export interface HeliumRow {
  readonly id: string;
  readonly fields: Fields;
  /** `_tstamp_` in milliseconds since 1970, as UTC. */
  readonly changedAtMs: number;
}

export interface ChangeLogPage {
  /** Dirty records, each once, in the order of their numbers. */
  readonly keys: readonly RecordKey[];
  /**
   * Where the next page begins: the last number of this one, the horizon itself on the last.
   * Decimal text.
   */
  readonly cursor: string;
  /** Whether the horizon was reached. */
  readonly isLast: boolean;
  /** The log ends before the cursor asked for: a restore has moved its numbers back. */
  readonly historyLost: boolean;
}

/** An open transaction that keeps the change log from being read further. */
export interface HorizonHolder {
  /** null: a prepared transaction. */
  readonly pid: number | null;
  readonly applicationName: string;
  /** ISO instant it began. */
  readonly since: string;
}

export interface HeliumWrite {
  readonly key: RecordKey;
  /**
   * null: the row shall be gone. Every mapped column when it is to be inserted, those that change
   * otherwise.
   */
  readonly fields: Fields | null;
  readonly isInsert: boolean;
  /** Becomes `_tstamp_`. */
  readonly changedAtMs: number;
  /** By column: the bytes of each blob that `fields` names by its hash. */
  readonly blobs?: Readonly<Record<string, HeliumBlob>>;
}

export type HeliumOutcome =
  | { readonly status: 'written' }
  /** Parents it points at are not there: it cannot be written yet. */
  | { readonly status: 'parked'; readonly missing: readonly RecordKey[] }
  /** PostgreSQL will never take its content: overflow, a check, a unique key of the app's own. */
  | { readonly status: 'refused'; readonly kind: string; readonly reason: string };

export interface HeliumGateway {
  readonly schema: string;
  readonly pool: pg.Pool;
  /**
   * Tables, columns, keys, and which tables are tracked; the same object while nothing of it has
   * changed.
   */
  readonly readCatalog: ReadCatalog;
  /** Highest number visible in the change log, '0' when it is empty. */
  readHead(): Promise<string>;
  /**
   * The next dirty records behind the cursor, up to a horizon below which nothing can become
   * visible any more; waits for the writers that hold it, telling who they are. An empty last page
   * when there is nothing.
   */
  readChangeLog(request: {
    readonly cursor: string;
    readonly limit: number;
    readonly signal: AbortSignal;
    readonly onHeld?: (holder: HorizonHolder | null) => void;
  }): Promise<ChangeLogPage>;
  /**
   * Rows that are there, in no particular order; `lock` keeps them from changing until the
   * transaction ends.
   */
  readRows(db: Db, map: ObjectMap, ids: readonly string[], lock: boolean): Promise<HeliumRow[]>;
  /** In the order of their ids, those behind `afterId`. */
  readRowsAfter(db: Db, map: ObjectMap, afterId: string | null, limit: number): Promise<HeliumRow[]>;
  readBlob(db: Db, map: ObjectMap, id: string, column: string): Promise<HeliumBlob | null>;
  /**
   * Writes all that can be written, one outcome each in the order given; what cannot leaves the
   * others untouched. Inserts parents first whatever their order here, deletes children first,
   * breaks cycles in two passes.
   */
  write(db: Db, objects: readonly ObjectMap[], writes: readonly HeliumWrite[]): Promise<HeliumOutcome[]>;
}
