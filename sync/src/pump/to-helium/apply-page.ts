/**
 * Journey → Helium, one page of the op-log in one transaction: rows, what is known of each record, held records,
 * conflicts and the cursor. Killed at any moment, the page is either done or not begun.
 *
 *   entries ─▶ ours? crossed off
 *         └──▶ somebody's ─▶ merged into Helium's locked row ─▶ written, parked or refused
 */

import type { Db, HeliumOutcome, HeliumWrite } from '../../helium/helium-end.ts';
import type { JourneyEntry } from '../../journey/journey-end.ts';
import type { HeliumBlob } from '../../record/blob.ts';
import { changedFields, sameFields } from '../../record/fields.ts';
import { KeyMap, type RecordKey } from '../../record/record-key.ts';
import { readHeld } from '../../sync-state/held-records.store.ts';
import { readRecords } from '../../sync-state/records.store.ts';
import { type RunChange, saveRun } from '../../sync-state/runs.store.ts';
import { readRowsByKey } from '../shared/read-rows-by-key.ts';
import { inState, mapOf, type SyncContext } from '../shared/sync-context.ts';
import { type Folded, fold, foldEchoes, type Unfolded } from './merge-entries.ts';
import { accountEntries } from './record-outcomes.ts';

export interface EntryPage extends RunChange {
  readonly entries: readonly JourneyEntry[];
  /** Bytes of blobs by their hash. */
  readonly blobs: ReadonlyMap<string, HeliumBlob>;
  /** The cursor this page was read behind: when it is another by now, the page is refused. */
  readonly readBehind?: string;
  /** Objects as a listing shows them, maybe later than the op-log was read to. */
  readonly isListing?: boolean;
}

export interface Applied {
  readonly written: number;
  readonly echoes: number;
  readonly held: number;
  /** Of those that were held before. */
  readonly released: number;
  readonly conflicts: number;
}

/** Files that are known by what they hold, and have to be written: they must be fetched once more. */
export class BytesNeeded extends Error {
  override readonly name = 'BytesNeeded';
  readonly values: readonly string[];

  constructor(values: readonly string[]) {
    super(`The bytes of ${values.length} files are needed.`);
    this.values = values;
  }
}

const nothing: Applied = { written: 0, echoes: 0, held: 0, released: 0, conflicts: 0 };

export function carryToHelium(context: SyncContext, page: EntryPage): Promise<Applied> {
  return inState(context, async (db, run) => {
    // Rather begun anew from what is written down than passed over.
    if (page.readBehind !== undefined && run.opLogCursor !== page.readBehind)
      throw new Error(
        `A page was read behind op-log entry ${page.readBehind}, but ${run.opLogCursor} is the last applied.`,
      );
    const applied = page.entries.length === 0 ? nothing : await applyEntries(context, db, page);
    await saveRun(db, context.stateId, page);
    return applied;
  });
}

async function applyEntries(context: SyncContext, db: Db, page: EntryPage): Promise<Applied> {
  const { isListing = false } = page;
  const all = await foldAll(context, db, page.entries, isListing);
  const folded = all.filter(({ isNews }) => isNews);
  const writes = folded.flatMap((one) => writeOf(context, page, one) ?? []);
  const answers = writes.length === 0 ? [] : await context.helium.write(db, context.mapping.objects, writes);
  const outcomes = new KeyMap<HeliumOutcome>();
  for (const [index, { key }] of writes.entries()) {
    const outcome = answers[index];
    if (outcome) outcomes.set(key, outcome);
  }
  const { held, released } = await accountEntries(context, db, folded, outcomes, isListing);
  return {
    written: answers.filter(({ is }) => is === 'written').length,
    held,
    released,
    echoes: folded.reduce((sum, { echoes }) => sum + echoes, 0),
    conflicts: folded.reduce((sum, { conflicts }) => sum + conflicts.length, 0),
  };
}

async function foldAll(
  context: SyncContext,
  db: Db,
  entries: readonly JourneyEntry[],
  isListing: boolean,
): Promise<Folded[]> {
  const entriesOf = new KeyMap<JourneyEntry[]>();
  const keys: RecordKey[] = [];
  for (const entry of entries) {
    const others = entriesOf.get(entry.key);
    if (others) {
      others.push(entry);
      continue;
    }
    entriesOf.set(entry.key, [entry]);
    keys.push(entry.key);
  }
  const records = await readRecords(db, context.stateId, keys);
  const held = (await readHeld(db, context.stateId, keys))['journey-to-helium'];
  const unfolded = keys.map(
    (key): Unfolded => ({ key, entries: entriesOf.get(key) ?? [], known: records.of(key), held: held.get(key) }),
  );
  const echoes = unfolded.map((one) => (isListing ? undefined : foldEchoes(one)));
  const strangers = keys.filter((_, place) => !echoes[place]);
  const rows = await readRowsByKey(context, db, strangers, true);
  return unfolded.map((one, place) => echoes[place] ?? fold(context, one, rows.get(one.key) ?? null, isListing));
}

function writeOf(
  context: SyncContext,
  page: EntryPage,
  { key, row, write, changedAtMs }: Folded,
): HeliumWrite | undefined {
  if (write === undefined || sameFields(write, row?.fields ?? null)) return undefined;
  const fields = write === null || row === null ? write : changedFields(row.fields, write);
  const blobs: Record<string, HeliumBlob> = {};
  const without: string[] = [];
  for (const { column, kind } of mapOf(context, key.table)?.fields ?? []) {
    const value = kind === 'blob' ? fields?.[column] : undefined;
    if (typeof value !== 'string') continue;
    const blob = page.blobs.get(value);
    if (blob) blobs[column] = blob;
    else without.push(value);
  }
  if (without.length > 0) throw new BytesNeeded(without);
  return { key, fields, isInsert: row === null, changedAtMs, blobs };
}

/** Whether Journey's objects of this table come to Helium. */
export function comesToHelium(context: Pick<SyncContext, 'mapping'>, { table }: RecordKey): boolean {
  return mapOf(context, table)?.toHelium ?? false;
}
