/**
 * What the engine needs of a Journey deployment. Systemic trouble is thrown as the client's
 * `JourneyProblem`, whose kind says whether it may be tried again and whether the call may have
 * been carried out; what concerns one record alone is an outcome.
 */

import type { JourneyCatalog } from '../mapping/journey-catalog.ts';
import type { Mapping, ObjectMap } from '../mapping/object-map.ts';
import type { HeliumBlob } from '../record/blob.ts';
import type { Fields } from '../record/fields.ts';
import type { RecordKey } from '../record/record-key.ts';

/** One effective write on Journey's side, whoever made it. */
export interface JourneyEntry {
  /** Decimal text, strictly increasing. */
  readonly sequence: string;
  readonly key: RecordKey;
  readonly operation: 'create' | 'update' | 'delete';
  /**
   * The object after it; null after a delete. Whole but for the columns of `attachments`, of files
   * that are not uploaded yet, and of values that are a `problem`: of these it says nothing,
   * neither that they changed nor that they are null.
   */
  readonly fields: Fields | null;
  /** `updated_at`: whole seconds, in milliseconds since 1970. */
  readonly changedAtMs: number;
  /** By column, where there is a blob that is not known by its hash yet: where its bytes are. */
  readonly attachments?: Readonly<Record<string, JourneyAttachment>>;
  /** What of it cannot be carried over: a value Helium has no place for. */
  readonly problem?: string;
}

export interface JourneyAttachment {
  /** Journey's id of it. */
  readonly id: string;
  readonly url: string;
}

export interface OpLogPage {
  readonly entries: readonly JourneyEntry[];
  /** Last sequence of this page, or the cursor asked for when it is empty. */
  readonly cursor: string;
  readonly isLast: boolean;
  /** The entry at the cursor asked for is no longer there: the log is shorter than we were away. */
  readonly historyLost: boolean;
  readonly dataModelHash: string;
}

export interface JourneyWrite {
  readonly key: RecordKey;
  readonly method: 'put' | 'patch' | 'delete';
  /** Whole for put, the changed ones for patch, empty for delete. */
  readonly fields: Fields;
  readonly blobs?: Readonly<Record<string, HeliumBlob>>;
}

export type JourneyOutcome =
  /** Also a delete of what is not there. */
  | { readonly status: 'done' }
  /** A patch of what is not there. */
  | { readonly status: 'missing' }
  | { readonly status: 'refused'; readonly kind: string; readonly reason: string };

export interface JourneyGateway {
  /** Made from Journey's data model; the same object while its hash is the same. */
  readModels(signal: AbortSignal): Promise<JourneyCatalog>;
  /**
   * The entries behind the cursor, at most once a second, though the pages of one backlog follow at
   * once; `'0'` begins with the first there is. Entries written in another data model than the
   * mapping was made from are withheld: then the cursor stays, and `dataModelHash` tells of the
   * other one.
   */
  readOpLog(request: {
    readonly mapping: Mapping;
    readonly cursor: string;
    readonly limit: number;
    readonly signal: AbortSignal;
  }): Promise<OpLogPage>;
  /** Sequence of the newest entry, '0' when there is none. */
  readHead(signal: AbortSignal): Promise<string>;
  /**
   * Objects in the order of their ids, as if each had just been written; fewer than `limit` only at
   * the end. Throws `DataModelChanged` when the mapping has to be made anew first.
   */
  listAfter(map: ObjectMap, afterId: string | null, limit: number, signal: AbortSignal): Promise<JourneyEntry[]>;
  /** One call of at most 1,000 writes, in this order; one outcome each. */
  send(mapping: Mapping, writes: readonly JourneyWrite[], signal: AbortSignal): Promise<JourneyOutcome[]>;
  /**
   * A `JourneyProblem` of kind not-found, invalid-request or too-large concerns this file alone.
   */
  fetchAttachment(attachment: JourneyAttachment, signal: AbortSignal): Promise<HeliumBlob>;
}
