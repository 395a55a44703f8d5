/**
 * Journey → Helium, one page of the op-log in one transaction: rows, what is known of each record, held records,
 * conflicts and the cursor. Killed at any moment, the page is either done or not begun.
 *
 *   entries ─▶ ours? crossed off
 *         └──▶ somebody's ─▶ merged into Helium's locked row ─▶ written, parked or refused
 */
import { applyEntry } from '../engine/apply-entry.ts';
import { changedFields, type Fields, sameFields, type Value } from '../engine/fields.ts';
import type { Conflict } from '../engine/merge.ts';
import { keyText, type RecordKey } from '../engine/record-key.ts';
import { crossOff, expectedOf, findOwnWrite, type Intent, type RecordState } from '../engine/record-state.ts';
import type { Db, HeliumBlob, HeliumOutcome, HeliumRow, HeliumWrite } from '../helium/helium-end.ts';
import type { JourneyEntry } from '../journey/journey-end.ts';
import { addConflicts } from '../state/conflict-store.ts';
import { markDirty } from '../state/dirty-store.ts';
import { type HeldRecord, type Hold, hold, readHeld, release, wake } from '../state/held-store.ts';
import { type KnownRecord, readRecords, removeIntents, saveRecords } from '../state/record-store.ts';
import { type RunChange, saveRun } from '../state/run-store.ts';
import { inState, mapOf, type Pump } from './pump.ts';

export interface EntryPage extends RunChange {
  readonly entries: readonly JourneyEntry[];
  /** Bytes of blobs by their hash. */
  readonly blobs: ReadonlyMap<string, HeliumBlob>;
  /** The cursor this page was read behind: when it is another by now, the page is not applied. */
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

/** What one page does to one record. */
interface Folded {
  readonly key: RecordKey;
  readonly known: KnownRecord;
  readonly held: HeldRecord | undefined;
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

/** Files that are known by what they hold, and have to be written: they must be fetched once more. */
export class BytesNeeded extends Error {
  override readonly name = 'BytesNeeded';
  readonly values: readonly string[];

  constructor(values: readonly string[]) {
    super(`The bytes of ${values.length} files are needed.`);
    this.values = values;
  }
}

/** Kind of what is held because Helium has no place for a value of it. */
export const UNREADABLE = 'unreadable value';

const NOTHING: Applied = { written: 0, echoes: 0, held: 0, released: 0, conflicts: 0 };

export function carryToHelium(pump: Pump, page: EntryPage): Promise<Applied> {
  return inState(pump, async (db, run) => {
    if (page.readBehind !== undefined && run.opLogCursor !== page.readBehind) return NOTHING;
    const applied = page.entries.length === 0 ? NOTHING : await applyEntries(pump, db, page);
    await saveRun(db, pump.run, page);
    return applied;
  });
}

async function applyEntries(pump: Pump, db: Db, page: EntryPage): Promise<Applied> {
  const entriesOf = new Map<string, JourneyEntry[]>();
  for (const entry of page.entries) {
    const text = keyText(entry.key);
    const others = entriesOf.get(text);
    if (others) others.push(entry);
    else entriesOf.set(text, [entry]);
  }
  const keys = [...entriesOf.values()].flatMap(([first]) => (first ? [first.key] : []));
  const records = await readRecords(db, pump.run, keys);
  const held = await readHeld(db, pump.run, 'journey-to-helium', keys);
  const strangers = keys.filter(
    (key) => held.has(keyText(key)) || !areEchoes(records.of(key), entriesOf.get(keyText(key))),
  );
  const rows = await readRows(pump, db, strangers);
  const all = keys.map((key) => {
    const text = keyText(key);
    return fold(pump, page, entriesOf.get(text) ?? [], {
      key,
      known: records.of(key),
      held: held.get(text),
      row: rows.get(text) ?? null,
    });
  });
  const folded = all.filter(({ isNews }) => isNews);
  const outcomes = await write(pump, db, page, folded);
  await account(pump, db, page, folded, outcomes);
  return {
    written: [...outcomes.values()].filter(({ is }) => is === 'written').length,
    held: folded.filter((one) => holdOf(one, outcomes.get(keyText(one.key)))).length,
    released: folded.filter((one) => one.held && !holdOf(one, outcomes.get(keyText(one.key)))).length,
    echoes: folded.reduce((sum, { echoes }) => sum + echoes, 0),
    conflicts: folded.reduce((sum, { conflicts }) => sum + conflicts.length, 0),
  };
}

/** Whether all of them are our own writes coming back: then Helium's row need not be looked at. */
function areEchoes(known: KnownRecord, entries: readonly JourneyEntry[] = []): boolean {
  let { journey, intents } = known;
  for (const entry of entries) {
    if (entry.problem !== undefined) return false;
    const own = findOwnWrite(journey, entry.fields, intents);
    if (own) intents = crossOff(intents, own);
    else if (!sameFields(journey, entry.fields)) return false;
    journey = entry.fields;
  }
  return true;
}

async function readRows(pump: Pump, db: Db, keys: readonly RecordKey[]): Promise<Map<string, HeliumRow>> {
  const rows = new Map<string, HeliumRow>();
  for (const map of pump.mapping.objects) {
    const ids = keys.filter(({ table }) => table === map.table).map(({ id }) => id);
    if (ids.length === 0) continue;
    for (const row of await pump.helium.readRows(db, map, ids, true)) rows.set(`${map.table}/${row.id}`, row);
  }
  return rows;
}

function fold(
  pump: Pump,
  page: EntryPage,
  entries: readonly JourneyEntry[],
  of: Pick<Folded, 'key' | 'known' | 'held' | 'row'>,
): Folded {
  const folded: Folded = {
    ...of,
    state: of.known,
    write: undefined,
    changedAtMs: 0,
    isNews: false,
    isDirty: false,
    echoes: 0,
    conflicts: [],
    problem: undefined,
  };
  let row = of.row;
  for (const entry of entries) {
    if (!page.isListing && of.known.listedAtMs !== null && entry.changedAtMs < of.known.listedAtMs) continue;
    folded.isNews = true;
    folded.problem = entry.problem;
    folded.changedAtMs = entry.changedAtMs;
    if (entry.problem !== undefined) continue;
    const heldBase = of.held && { heldBase: of.held.base };
    const whole = { ...entry, fields: completed(pump, of.key, folded.state.journey, entry.fields) };
    const applied = applyEntry({ state: folded.state, ...heldBase, row }, whole, pump.policy);
    folded.state = applied.state;
    folded.isDirty = applied.isDirty;
    folded.echoes += applied.isEcho ? 1 : 0;
    folded.conflicts.push(...applied.conflicts);
    if (applied.write === undefined) continue;
    folded.write = applied.write;
    row = applied.write === null ? null : { id: of.key.id, fields: applied.write, changedAtMs: entry.changedAtMs };
  }
  return folded;
}

/** What an entry does not tell yet, a photo that is still on its way, is as it was. */
function completed(pump: Pump, key: RecordKey, before: Fields | null, fields: Fields | null): Fields | null {
  if (fields === null) return null;
  const whole: Record<string, Value> = { ...fields };
  for (const { column } of mapOf(pump, key.table)?.fields ?? []) {
    if (!(column in whole)) whole[column] = before?.[column] ?? null;
  }
  return whole;
}

async function write(
  pump: Pump,
  db: Db,
  page: EntryPage,
  folded: readonly Folded[],
): Promise<Map<string, HeliumOutcome>> {
  const writes = folded.flatMap((one) => writeOf(pump, page, one) ?? []);
  const outcomes = writes.length === 0 ? [] : await pump.helium.write(db, pump.mapping.objects, writes);
  return new Map(
    writes.flatMap(({ key }, index) => {
      const outcome = outcomes[index];
      return outcome ? [[keyText(key), outcome] as const] : [];
    }),
  );
}

function writeOf(pump: Pump, page: EntryPage, { key, row, write, changedAtMs }: Folded): HeliumWrite | undefined {
  if (write === undefined || sameFields(write, row?.fields ?? null)) return undefined;
  const isBlob = (name: string) =>
    mapOf(pump, key.table)?.fields.some(({ column, kind }) => column === name && kind === 'blob');
  const fields = write === null || row === null ? write : changedFields(row.fields, write);
  const named = Object.entries(fields ?? {}).flatMap(([column, value]) =>
    typeof value === 'string' && isBlob(column) ? [[column, value] as const] : [],
  );
  const without = named.map(([, value]) => value).filter((value) => !page.blobs.has(value));
  if (without.length > 0) throw new BytesNeeded(without);
  const blobs = named.flatMap(([column, value]) => {
    const blob = page.blobs.get(value);
    return blob ? [[column, blob] as const] : [];
  });
  return {
    key,
    fields,
    isInsert: row === null,
    changedAtMs,
    ...(blobs.length > 0 && { blobs: Object.fromEntries(blobs) }),
  };
}

async function account(
  pump: Pump,
  db: Db,
  page: EntryPage,
  folded: readonly Folded[],
  outcomes: ReadonlyMap<string, HeliumOutcome>,
): Promise<void> {
  const holds = folded.flatMap((one) => holdOf(one, outcomes.get(keyText(one.key))) ?? []);
  const heldNow = new Set(holds.map(({ key }) => keyText(key)));
  const free = folded.filter(({ key }) => !heldNow.has(keyText(key)));
  await hold(db, pump.run, 'journey-to-helium', holds);
  await release(
    db,
    pump.run,
    'journey-to-helium',
    free.filter(({ held }) => held).map(({ key }) => key),
  );
  const inserted = free.filter(({ row, write }) => row === null && write);
  await wake(
    db,
    pump.run,
    inserted.map(({ key }) => key),
  );
  await saveRecords(
    db,
    pump.run,
    folded.map(({ key, known, state, changedAtMs }) => ({
      key,
      journey: state.journey,
      deletedAtMs: state.deletedAtMs,
      // What is gone has no time by Journey's clock.
      listedAtMs:
        page.isListing && state.journey !== null ? Math.max(changedAtMs, known.listedAtMs ?? 0) : known.listedAtMs,
      missing: null,
    })),
  );
  await removeIntents(db, pump.run, folded.flatMap(crossedOff));
  await addConflicts(
    db,
    pump.run,
    folded.flatMap(({ key, conflicts }) => conflicts.map((conflict) => ({ key, conflict }))),
  );
  const dirty = free.filter((one) => needsAnotherLook(one));
  await markDirty(
    db,
    pump.run,
    dirty.map(({ key }) => key),
  );
  for (const { key, state, reason } of holds)
    pump.log(
      state === 'dead' ? 'SEVERE' : 'WARNING',
      `${keyText(key)} ${state === 'dead' ? 'is refused by Helium' : 'waits'}: ${reason}`,
    );
}

/** The other direction passed it by while it was held or missing; or both sides still differ. */
function needsAnotherLook({ known, held, row, write, state, isDirty }: Folded): boolean {
  if (known.missing !== null) return true;
  if (!held) return isDirty;
  // While it was held, what nobody answered for was not sent again.
  if (state.intents.some(({ stage }) => stage === 'sent')) return true;
  const helium = write === undefined ? (row?.fields ?? null) : write;
  return !sameFields(helium, expectedOf(state));
}

function crossedOff({ key, known, state }: Folded): { key: RecordKey; no: number }[] {
  const left = new Set<Intent>(state.intents);
  return known.intents.filter((intent) => !left.has(intent)).map(({ no }) => ({ key, no }));
}

function holdOf(one: Folded, outcome: HeliumOutcome | undefined): Hold | undefined {
  const { key, known, held, row, state, problem, changedAtMs } = one;
  const common = {
    key,
    base: held ? held.base : problem === undefined ? known.journey : state.journey,
    changedAtMs,
    helium: row?.fields ?? null,
    journey: state.journey,
  };
  if (problem !== undefined) return { ...common, state: 'dead', kind: UNREADABLE, reason: problem };
  if (outcome?.is === 'refused') return { ...common, state: 'dead', kind: outcome.kind, reason: outcome.reason };
  if (outcome?.is !== 'parked') return undefined;
  const missing = outcome.missing.map(keyText);
  return {
    ...common,
    state: 'parked',
    kind: 'missing parent',
    reason: `It points at ${missing.join(', ')}, which Helium does not have.`,
    missing,
  };
}

/** Whether Journey's objects of this table come to Helium. */
export function comesToHelium(pump: Pick<Pump, 'mapping'>, { table }: RecordKey): boolean {
  return mapOf(pump, table)?.toHelium ?? false;
}
