/** A record's entries of one page, before and after they are merged. */
import type { HeliumOutcome, HeliumRow } from '../../../helium/helium-gateway.ts';
import type { JourneyEntry } from '../../../journey/journey-gateway.ts';
import type { TimedEntry } from '../../../record/apply-entry.ts';
import type { Fields } from '../../../record/fields.ts';
import type { Conflict } from '../../../record/merge.ts';
import type { RecordKey } from '../../../record/record-key.ts';
import type { Intent, RecordState } from '../../../record/record-state.ts';
import type { HeldRow } from '../../../sync-state/held-records.store.ts';
import type { KnownRecord } from '../../../sync-state/records.store.ts';

/** A record before the page, and its entries in the page. */
export interface RecordEntries {
  readonly key: RecordKey;
  readonly entries: readonly JourneyEntry[];
  readonly known: KnownRecord;
  readonly held: HeldRow | undefined;
  /** Whether the entries come from a listing instead of the op-log. */
  readonly isListed: boolean;
  /** Whether an entry of the op-log was written after everything that the intent did. */
  readonly isAfter?: IsAfter | undefined;
}

export type IsAfter = (entry: JourneyEntry, intent: Intent) => boolean;

export interface MergedEntry extends Omit<RecordEntries, 'entries'> {
  /**
   * The row in Helium; null when there is none, or when it was not read because every entry is an
   * echo.
   */
  readonly row: HeliumRow | null;
  /** The row after the merge: the same object when nothing changes, null when it is deleted. */
  readonly rowAfter: HeliumRow | null;
  readonly state: RecordState;
  /**
   * Journey's last state that Helium has, with those of our writes that the page shows: what Helium
   * still has if it rejects the row.
   */
  readonly base: Fields | null;
  /** null for a deletion that is only supposed. */
  readonly changedAtMs: number | null;
  readonly isDirty: boolean;
  /** Whether an entry differs from what was known of Journey, other than by our own writes. */
  readonly isChanged: boolean;
  readonly echoes: number;
  readonly conflicts: readonly Conflict[];
  /** Why the last entry could not be converted to a row; null when it could. */
  readonly problem: string | null;
  /** Why the entries are not merged yet, one sentence; null when they are. */
  readonly deferred: string | null;
  /**
   * When a deferred record is tried again; without it, soon, because another session had locked its
   * row.
   */
  readonly retryMs?: number;
  /** The rows that have the value of a unique key for which a deferred record waits. */
  readonly blockedBy?: readonly RecordKey[];
}

/** The outcome of a merged entry. Entries of a write that waits are deferred instead. */
export type MergeOutcome =
  | Exclude<HeliumOutcome, { status: 'waiting' }>
  /** A new row that Helium does not accept without these files, which are not there yet. */
  | { readonly status: 'without-file'; readonly columns: readonly string[] };

/**
 * A merge under way. It is changed in place: a copy for each entry would take longer than merging
 * it.
 */
export type Merge = { -readonly [Key in keyof MergedEntry]: MergedEntry[Key] };

export function startMerge({ key, known, held, isListed, isAfter }: RecordEntries, row: HeliumRow | null): Merge {
  return {
    key,
    known,
    held,
    isListed,
    isAfter,
    row,
    rowAfter: row,
    state: known,
    base: held ? held.base : known.journey,
    changedAtMs: 0,
    isDirty: false,
    isChanged: false,
    echoes: 0,
    conflicts: [],
    problem: null,
    deferred: null,
  };
}

/** @param fields of all columns, which the entry may lack */
export function toTimedEntry(
  { isListed, isAfter, known }: Pick<RecordEntries, 'isListed' | 'isAfter' | 'known'>,
  entry: JourneyEntry,
  fields = entry.fields,
): TimedEntry {
  const { operation, changedAtMs, attachments } = entry;
  const files = attachments && Object.keys(attachments).filter((column) => !Object.hasOwn(entry.fields ?? {}, column));
  const isLater = isAfter && known.intents.length > 0 ? (intent: Intent) => isAfter(entry, intent) : undefined;
  return { operation, changedAtMs, fields, files, isListed, isAfter: isLater };
}
