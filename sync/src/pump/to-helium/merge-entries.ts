/** What one page of entries comes to for one record: its echoes crossed off, somebody's edits merged into Helium's row. */

import type { HeliumRow } from '../../helium/helium-end.ts';
import type { JourneyEntry } from '../../journey/journey-end.ts';
import { type Applied, applyEcho, applyEntry } from '../../record/apply-entry.ts';
import { type Fields, isEmpty, type Value } from '../../record/fields.ts';
import type { Conflict } from '../../record/merge.ts';
import type { RecordKey } from '../../record/record-key.ts';
import type { RecordState } from '../../record/record-state.ts';
import type { HeldRecord } from '../../sync-state/held-records.store.ts';
import type { KnownRecord } from '../../sync-state/records.store.ts';
import { mapOf, type SyncContext } from '../shared/sync-context.ts';

/** A record before the page. */
export interface Unfolded {
  readonly key: RecordKey;
  readonly entries: readonly JourneyEntry[];
  readonly known: KnownRecord;
  readonly held: HeldRecord | undefined;
}

export interface Folded extends Unfolded {
  readonly row: HeliumRow | null;
  state: RecordState;
  /** Whether Helium's row is to become another. */
  write: Fields | null | undefined;
  changedAtMs: number;
  /** Whether any of its entries says more than is known. */
  isNews: boolean;
  isDirty: boolean;
  echoes: number;
  readonly conflicts: Conflict[];
  /** The last entry could not be read as a row. */
  problem: string | undefined;
}

function begun({ key, entries, known, held }: Unfolded, row: HeliumRow | null): Folded {
  return {
    key,
    entries,
    known,
    held,
    row,
    state: known,
    write: undefined,
    changedAtMs: 0,
    isNews: false,
    isDirty: false,
    echoes: 0,
    conflicts: [],
    problem: undefined,
  };
}

/**
 * When all its entries are our own writes coming back: then Helium's row, which is not in what is answered, need not be
 * looked at. Otherwise undefined.
 */
export function foldEchoes(of: Unfolded): Folded | undefined {
  if (of.held || of.known.listedAtMs !== null) return undefined;
  const folded = begun(of, null);
  for (const entry of of.entries) {
    const echo = entry.problem === undefined ? applyEcho(folded.state, entry) : undefined;
    if (!echo) return undefined;
    folded.state = echo.state;
    folded.isDirty = echo.isDirty;
    folded.changedAtMs = entry.changedAtMs;
    folded.isNews = true;
    folded.echoes += 1;
  }
  return folded;
}

/** @param isListing the entries are objects as a listing shows them, maybe later than the op-log was read to */
export function fold(context: SyncContext, of: Unfolded, row: HeliumRow | null, isListing: boolean): Folded {
  const { key, known, held } = of;
  const folded = begun(of, row);
  const heldBase = held && { heldBase: held.base };
  let present = row;
  for (const entry of of.entries) {
    if (!isListing && known.listedAtMs !== null && entry.changedAtMs < known.listedAtMs) continue;
    folded.isNews = true;
    folded.problem = entry.problem;
    folded.changedAtMs = entry.changedAtMs;
    if (entry.problem !== undefined) continue;
    const { changedAtMs, operation } = entry;
    const whole = { changedAtMs, operation, fields: completed(context, key, folded.state.journey, entry.fields) };
    const found = applyEntry({ state: folded.state, ...heldBase, row: present }, whole, context.policy);
    const applied = withoutUntold(found, entry.fields, present?.fields ?? null);
    folded.state = applied.state;
    folded.isDirty = applied.isDirty;
    folded.echoes += applied.isEcho ? 1 : 0;
    folded.conflicts.push(...applied.conflicts);
    if (applied.write === undefined) continue;
    folded.write = applied.write;
    present = applied.write === null ? null : { id: key.id, fields: applied.write, changedAtMs };
  }
  return folded;
}

/** What an entry does not tell stays what the row has, even where that is nothing: Journey may have no more than that. */
function withoutUntold(applied: Applied, told: Fields | null, row: Fields | null): Applied {
  const { write, state } = applied;
  if (!write || !told || !state.journey) return applied;
  const kept: Record<string, Value> = {};
  for (const column in write) {
    const before = row?.[column] ?? null;
    if (!(column in told) && write[column] !== before) kept[column] = before;
  }
  if (isEmpty(kept)) return applied;
  return { ...applied, write: { ...write, ...kept }, state: { ...state, journey: { ...state.journey, ...kept } } };
}

/** What an entry does not tell yet, a photo that is still on its way, is as it was. */
function completed(context: SyncContext, key: RecordKey, before: Fields | null, fields: Fields | null): Fields | null {
  if (fields === null) return null;
  let whole: Record<string, Value> | undefined;
  for (const { column } of mapOf(context, key.table)?.fields ?? []) {
    if (column in fields) continue;
    whole ??= { ...fields };
    whole[column] = before?.[column] ?? null;
  }
  return whole ?? fields;
}
