/** Merges what Journey has of records that were looked up, before Helium's rows are sent. */
import type { Db } from '../../../helium/helium-gateway.ts';
import type { JourneyEntry } from '../../../journey/journey-gateway.ts';
import { createFields, type Fields } from '../../../record/fields.ts';
import { adoptFiles, isSameContent } from '../../../record/file-value.ts';
import type { Conflict } from '../../../record/merge.ts';
import type { KeyMap, RecordKey } from '../../../record/record-key.ts';
import { expectedFields } from '../../../record/record-state.ts';
import { mergeForSending } from '../../../record/unknown-record.ts';
import type { SeenFile } from '../../../record/waiting-file.ts';
import { addLostFiles } from '../../../sync-state/lost-files.store.ts';
import { absentRecord, type KnownRecord, saveRecords } from '../../../sync-state/records.store.ts';
import { expectsEcho, findObjectMap, type SyncContext } from '../../state/context.ts';
import type { FoundRecord } from '../../state/look-ups.ts';
import { saveConflicts } from '../../state/save-conflicts.ts';

export interface LookUpResults {
  /** Tables of which Journey does not have what is not known. */
  readonly completeTables: readonly string[];
  /** What Journey has of records that were looked up. */
  readonly found: KeyMap<FoundRecord>;
}

interface RecordToMerge {
  readonly key: RecordKey;
  /** undefined when nothing is known. */
  readonly known: KnownRecord | undefined;
  readonly helium: Fields | null;
  /** Columns of the row with a default that no one has entered. */
  readonly untouched?: readonly string[];
}

export interface MergedRecord {
  readonly key: RecordKey;
  readonly known: KnownRecord;
  readonly conflicts: readonly Conflict[];
  /** Files of Journey that lose: until they are kept, nothing is sent that overwrites them. */
  readonly lost?: ReadonlyMap<string, SeenFile>;
  /** Whether an operator has skipped them: they are overwritten at once, and still fetched. */
  readonly isSkipped?: boolean;
  /** When Journey's record was changed; of a record with lost files. */
  readonly changedAtMs?: number | null;
}

type MergeContext = Pick<SyncContext, 'mapping' | 'isTwoWay'>;

/** Returns undefined when the record has to be looked up first. */
export function mergeFound(
  context: MergeContext,
  { key, known, helium, untouched = [] }: RecordToMerge,
  { completeTables, found }: LookUpResults,
): MergedRecord | undefined {
  if (known && !mayHaveMore(context, key, known, helium)) return { key, known, conflicts: [] };
  const absent = { key, known: absentRecord, conflicts: [] };
  if (!known && completeTables.includes(key.table)) return absent;
  const result = found.get(key);
  if (!result) return undefined;
  const { entry, deletion } = result;
  // Why Journey no longer has a record that is read there, its op-log shows.
  if (entry === null) return known?.journey && expectsEcho(context, key.table) ? { key, known, conflicts: [] } : absent;
  if (helium === null) {
    // Without a deletion in the log, a missing row is no reason to delete what Journey has.
    if (deletion?.winner !== 'helium') return absent;
    const deleted = { ...absentRecord, journey: entry.fields, listedAtMs: entry.changedAtMs };
    const conflicts = deletion.conflict ? [deletion.conflict] : [];
    return { key, known: deleted, conflicts, ...findLost(context, entry, conflicts) };
  }
  // Helium's row is newer than the look-up, and is merged first.
  if (expectsEcho(context, key.table)) return undefined;
  const columns = findObjectMap(context, key.table)?.fields ?? [];
  const { known: journey, conflicts } = mergeForSending(helium, adoptFiles(columns, entry.fields ?? {}, [helium]), {
    before: known?.journey ?? {},
    unread: describeUnread(context, entry),
    untouched,
  });
  return { key, known: { ...(known ?? absentRecord), journey }, conflicts, ...findLost(context, entry, conflicts) };
}

/** Finds the files that lose one of the conflicts: all of a record that Helium has deleted. */
function findLost(
  context: MergeContext,
  { key, attachments, changedAtMs }: JourneyEntry,
  conflicts: readonly Conflict[],
): Required<Pick<MergedRecord, 'lost' | 'changedAtMs'>> {
  const lost = new Map<string, SeenFile>();
  for (const { column, kind } of findObjectMap(context, key.table)?.fields ?? []) {
    const file = kind === 'blob' ? findFile(attachments, column) : undefined;
    const isLost = conflicts.some(
      ({ column: of, helium, journey }) => of === null || (of === column && !isSameContent(helium, journey)),
    );
    // What Journey does not have yet cannot be lost.
    if (file && file.url !== null && isLost) lost.set(column, file);
  }
  return { lost, changedAtMs };
}

/**
 * Whether Journey may have more than is known: the value of a column that is newly synced or was
 * forgotten; or, if its changes are not read, the object after it was deleted.
 */
function mayHaveMore(context: MergeContext, key: RecordKey, known: KnownRecord, helium: Fields | null): boolean {
  if (helium === null) return false;
  const { journey, intents } = known;
  if (expectsEcho(context, key.table)) return journey !== null && hasUnreadColumn(context, key, known, helium);
  if (journey === null) return intents.length === 0;
  return Object.entries(helium).some(([column, value]) => value !== null && !Object.hasOwn(journey, column));
}

/** Files are not among them: the op-log reports them later than their records. */
function hasUnreadColumn(context: MergeContext, key: RecordKey, known: KnownRecord, helium: Fields): boolean {
  const expected = expectedFields(known);
  if (expected === null) return false;
  const isFile = (column: string) =>
    findObjectMap(context, key.table)?.fields.some((field) => field.column === column && field.kind === 'blob');
  return Object.entries(helium).some(
    ([column, value]) => value !== null && !Object.hasOwn(expected, column) && !isFile(column),
  );
}

/** Describes Journey's values that could not be read, by column: files by their ids. */
function describeUnread(context: MergeContext, { key, fields, attachments, problem }: JourneyEntry): Fields {
  const unread = createFields();
  for (const { column } of findObjectMap(context, key.table)?.fields ?? [])
    if (!Object.hasOwn(fields ?? {}, column)) unread[column] = findFile(attachments, column)?.id ?? problem ?? null;
  return unread;
}

function findFile(attachments: JourneyEntry['attachments'] = {}, column: string): SeenFile | undefined {
  return Object.hasOwn(attachments, column) ? attachments[column] : undefined;
}

/**
 * Saves the result even if it is not sent, so that no conflict is recorded twice. Returns the
 * number of conflicts.
 */
export async function saveMerged(context: SyncContext, db: Db, merged: readonly MergedRecord[]): Promise<number> {
  const conflicts = merged.flatMap(({ key, conflicts }) => conflicts.map((conflict) => ({ key, conflict })));
  const saved = await saveConflicts(context, db, conflicts);
  await addLostFiles(
    db,
    context.stateId,
    merged.flatMap(({ key, lost = new Map<string, SeenFile>(), changedAtMs, known, conflicts: own, isSkipped }) =>
      [...lost].map(([column, file]) => {
        const isOfColumn = own.some((conflict) => conflict.column === column);
        const conflict = saved.getNumber(key, isOfColumn ? column : null);
        const isOverwritten = isSkipped ?? known.journey === null;
        return { key, column, conflict, file, changedAtMs: changedAtMs ?? 0, isOverwritten };
      }),
    ),
  );
  const present = merged.filter(({ known }) => known.journey !== null);
  await saveRecords(
    db,
    context.stateId,
    present.map(({ key, known }) => ({ ...known, key })),
  );
  return conflicts.length;
}
