/**
 * The engine's interface to a Journey deployment. Failures of a whole call are thrown as the
 * client's `JourneyProblem`, whose kind states whether to retry and whether the call may have taken
 * effect. Failures of a single record are outcomes.
 */

import type { FileType } from '@portal/platforms/journey/file-content';
import type { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyObject } from '@portal/platforms/journey/wire';
import type { JourneyCatalog } from '../mapping/journey-catalog.ts';
import type { Mapping, ObjectMap } from '../mapping/object-map.ts';
import type { HeliumBlob } from '../record/blob.ts';
import type { Fields } from '../record/fields.ts';
import type { RecordKey } from '../record/record-key.ts';
import type { SeenFile } from '../record/waiting-file.ts';

/** One effective write on Journey's side, by any author. */
export interface JourneyEntry {
  /** Decimal text, strictly increasing. */
  readonly sequence: string;
  readonly key: RecordKey;
  readonly operation: 'create' | 'update' | 'delete';
  /**
   * The object after the write; null after a delete. Complete except for files whose content is not
   * known, and for values with a `problem`: they are neither changed nor null.
   */
  readonly fields: Fields | null;
  /**
   * `updated_at`: whole seconds, in milliseconds since 1970; null for a deletion that is only
   * supposed because a list lacks the object.
   */
  readonly changedAtMs: number | null;
  /** The object as Journey sent it, with the fields that are not mapped. */
  readonly object?: JourneyObject;
  /** The files of the object by column, also those whose content is known. */
  readonly attachments?: Readonly<Record<string, SeenFile>>;
  /** Why the entry cannot be applied: a value that Helium cannot store. */
  readonly problem?: string;
}

/** An entry of the op-log that is no change of a record, whatever Journey meant by it. */
export interface UnreadableEntry {
  /**
   * The object's, with an id that stands for the object or the entry where it has no UUID; of the
   * table `op-log` where it has no type.
   */
  readonly key: RecordKey;
  /** One sentence. */
  readonly reason: string;
  /** Whether it reports the object's deletion, so nothing is left to sync. */
  readonly isDeletion: boolean;
}

interface JourneyAttachment {
  /** Journey's id of the attachment. */
  readonly id: string;
  readonly url: string;
  /** What the field takes. */
  readonly type: FileType;
}

/** The op-log entry at the cursor, as it was read: a different one there means a restore. */
export interface OpLogPoint {
  readonly sequence: string;
  readonly model: string;
  readonly id: string;
  /** Whether the entry is the object's deletion. */
  readonly isDeletion: boolean;
  /** `updated_at` of the object in the entry, in milliseconds. */
  readonly updatedAtMs: number;
  /** When the entry was last known to be there, in milliseconds. */
  readonly provenAtMs: number;
  /** Whether it expired as the last entry: the log continues with the next number. */
  readonly isExpired?: boolean;
}

interface OpLogTail {
  /** The newest entry; null when there is none. */
  readonly point: OpLogPoint | null;
  readonly dataModelHash: string;
}

export interface OpLogPage {
  readonly entries: readonly JourneyEntry[];
  /** In the order of the log. */
  readonly unreadable: readonly UnreadableEntry[];
  /** Last sequence of this page, or the requested cursor when the page is empty. */
  readonly cursor: string;
  readonly isLast: boolean;
  /** The entry at the requested cursor no longer exists, and the log does not continue after it. */
  readonly historyLost: boolean;
  /** The entry at the requested cursor; null when it is not there. */
  readonly start: OpLogPoint | null;
  /** The entry at the page's cursor; null when it is not there. */
  readonly point: OpLogPoint | null;
  readonly dataModelHash: string;
}

export interface JourneyWrite {
  readonly key: RecordKey;
  readonly method: 'put' | 'patch' | 'delete';
  /** All fields for put, the changed ones for patch, none for delete. */
  readonly fields: Fields;
  readonly blobs?: Readonly<Record<string, HeliumBlob>>;
  /** Of a put: the ids of files that Journey keeps, by column. */
  readonly keptFiles?: Readonly<Record<string, string>> | undefined;
}

export type JourneyOutcome =
  /** Includes deletes of objects that do not exist. */
  | {
      readonly status: 'done';
      /** Journey's ids of the files that were sent, by column, where it named them. */
      readonly fileIds?: Readonly<Record<string, string>>;
    }
  /** A patch of an object that does not exist. */
  | { readonly status: 'missing' }
  | { readonly status: 'refused'; readonly kind: string; readonly reason: string }
  /**
   * An error that does not judge the record: the same write may succeed later, and may have been
   * applied. `problem` is what the whole call would have failed with.
   */
  | {
      readonly status: 'undecided';
      readonly kind: string;
      readonly reason: string;
      readonly problem: JourneyProblem;
      /**
       * What is at fault. `record`: only this record, whose own call failed repeatedly while
       * Journey answered others. `call`: one of the records that were sent together, not known
       * which.
       */
      readonly fault?: 'record' | 'call';
    };

export interface JourneyGateway {
  /**
   * Reads the models from Journey's data model. Returns the same object while its hash is
   * unchanged.
   */
  readModels(signal: AbortSignal): Promise<JourneyCatalog>;
  /**
   * Reads the entries after the cursor, at most once a second; pages of one backlog follow
   * immediately. `'0'` starts with the first entry. Entries written in another data model than the
   * mapping's are withheld: the cursor stays, and `dataModelHash` is the hash of the other model.
   * `isStart`: the log had no entry at the cursor before, so it continues with the next number.
   */
  readOpLog(request: {
    readonly mapping: Mapping;
    readonly cursor: string;
    readonly isStart: boolean;
    readonly limit: number;
    readonly signal: AbortSignal;
  }): Promise<OpLogPage>;
  /** Returns when the app was deployed last, as Journey writes it; null when it is not reported. */
  readDeployedAt(signal: AbortSignal): Promise<string | null>;
  /** Returns a time in milliseconds that Journey's clock has not passed yet. */
  nowMs(): number;
  /** Returns the sequence of the newest entry, '0' when there is none. */
  readHead(signal: AbortSignal): Promise<string>;
  readTail(signal: AbortSignal): Promise<OpLogTail>;
  /** Returns the oldest entry that exists; null when there is none. */
  readOldest(signal: AbortSignal): Promise<OpLogPoint | null>;
  /** Returns the op-log's entry with this sequence; null when there is none. */
  readPoint(sequence: string, signal: AbortSignal): Promise<OpLogPoint | null>;
  /** Returns `updated_at` of an object, in milliseconds; null when the object does not exist. */
  readUpdatedAtMs(object: Pick<OpLogPoint, 'model' | 'id'>, signal: AbortSignal): Promise<number | null>;
  /**
   * Returns why the op-log cannot be read from a given version, for operators; null when it can.
   */
  findVersionProblem(version: string, signal: AbortSignal): Promise<string | null>;
  /**
   * Counts a model's objects, and lists at most two that were written at or after a time in
   * milliseconds; null lists none.
   */
  countObjects(
    map: ObjectMap,
    sinceMs: number | null,
    signal: AbortSignal,
  ): Promise<{ readonly count: number; readonly writtenSince: readonly string[] }>;
  /**
   * Lists objects in the order of their ids, as if each had just been written; fewer than `limit`
   * only at the end. Throws `DataModelChanged` when the mapping must be rebuilt first.
   */
  listAfter(map: ObjectMap, afterId: string | null, limit: number, signal: AbortSignal): Promise<JourneyEntry[]>;
  /** Returns those of these objects that exist, in the order of their ids, as `listAfter` does. */
  listByIds(map: ObjectMap, ids: readonly string[], signal: AbortSignal): Promise<JourneyEntry[]>;
  /**
   * Sends at most 1,000 writes in one call, in this order. Returns one outcome per write.
   *
   * @param onCall runs before Journey is called, which limits may prevent
   */
  send(
    mapping: Mapping,
    writes: readonly JourneyWrite[],
    signal: AbortSignal,
    onCall?: () => void,
  ): Promise<JourneyOutcome[]>;
  /** Returns whether Journey answers a call that writes nothing in the way of one that does. */
  isAnsweringWrites(signal: AbortSignal): Promise<boolean>;
  /**
   * Downloads a file, and returns only a complete one that the field can hold. A `JourneyProblem`
   * concerns only this file, whatever its kind: it says nothing about the deployment. One of kind
   * `throttled` was thrown before any call.
   */
  fetchAttachment(attachment: JourneyAttachment, signal: AbortSignal): Promise<HeliumBlob>;
}
