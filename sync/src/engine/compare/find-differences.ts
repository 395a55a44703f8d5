/**
 * Finds records whose state in Helium, in Journey or in the engine's records differs, except those
 * that are being synced.
 */
import type { Side } from '@portal/contract/sync/recovery';
import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import type { ObjectMap } from '../../mapping/object-map.ts';
import { areFieldsEqual, type Fields } from '../../record/fields.ts';
import { adoptFiles } from '../../record/file-value.ts';
import { keyText, type RecordKey } from '../../record/record-key.ts';
import { expectedFields, type RecordState } from '../../record/record-state.ts';
import { findInFlight, readIdsOfBoth } from '../../sync-state/comparisons.store.ts';
import { readRecords } from '../../sync-state/records.store.ts';
import { type RecordFiles, readWaitingFiles } from '../../sync-state/waiting-files.store.ts';
import { hasFiles } from '../files/book/has-files.ts';
import { findCommonPage } from '../missing/common-page.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { noteFiles } from './note-files.ts';

/**
 * Smaller than a page of the log, so that a comparison does not slow down the changes that flow.
 */
export const comparePageSize = 500;

export interface ComparedPage {
  readonly compared: number;
  /** The number of records on each side. */
  readonly helium: number;
  readonly journey: number;
  /** Records that differ now. They may be equal once both logs are read. */
  readonly suspects: readonly RecordKey[];
  /** How many files of Journey Helium does not have yet. */
  readonly waitingFiles: number;
  /** All records of the page. */
  readonly keys: readonly RecordKey[];
  /** The id to continue behind; null after the last page. */
  readonly lastId: string | null;
}

export async function comparePage(active: ActiveRun, map: ObjectMap, afterId: string | null): Promise<ComparedPage> {
  const { context, run } = active;
  const limit = comparePageSize;
  const listed = await run.withSlot(() => context.journey.listAfter(map, afterId, limit, run.signal));
  const known = await readIdsOfBoth(context.helium, context.stateId, map.table, { afterId, limit });
  const presentIds = listed.map(({ key }) => key.id);
  const { includes, lastId } = findCommonPage(presentIds, known, limit);
  const keys = [...new Set([...presentIds, ...known])].filter(includes).map((id) => ({ table: map.table, id }));
  const { differences, rowCount } = await findDifferences(active, map, keys, listed);
  const ofPage = listed.filter(({ key }) => includes(key.id));
  const waitingFiles = map.toHelium ? await noteFiles(active, map, ofPage) : 0;
  const journey = presentIds.filter(includes).length;
  const suspects = differences.map(({ key }) => key);
  return { compared: keys.length, helium: rowCount, journey, suspects, waitingFiles, keys, lastId };
}

export interface Difference {
  readonly key: RecordKey;
  /** Which sides have the record. */
  readonly isIn: Readonly<Record<Side, boolean>>;
  /** Whether Journey's object differs from the state known of it. */
  readonly isJourneyDifferent: boolean;
  /** Whether a side whose changes are read differs from it, so that the other one is to follow. */
  readonly isSourceDifferent: boolean;
  /** The source that no longer has the record, which both had; null when there is none. */
  readonly absentIn: Side | null;
  /** Values that both sides had, and that one source no longer has. */
  readonly cleared: readonly { readonly side: Side; readonly column: string }[];
}

/**
 * @returns the records that differ and are not being synced, and how many of all keys have a row in
 * Helium
 */
export async function findDifferences(
  active: ActiveRun,
  map: ObjectMap,
  keys: readonly RecordKey[],
  listed: readonly JourneyEntry[],
): Promise<{ readonly differences: readonly Difference[]; readonly rowCount: number }> {
  const { helium, stateId } = active.context;
  const ids = keys.map(({ id }) => id);
  const entries = new Map(listed.map((entry) => [entry.key.id, entry]));
  const records = await readRecords(helium.pool, stateId, keys);
  const rows = new Map((await helium.readRows(helium.pool, map, ids)).map((row) => [row.id, row.fields]));
  const inFlight = await findInFlight(helium.pool, stateId, keys, map.toJourney);
  const waiting = await readWaitingFiles(helium.pool, stateId, hasFiles(active.context, map.table) ? keys : []);
  const differences = keys.flatMap((key) => {
    const state = records.get(key);
    const entry = entries.get(key.id) ?? null;
    if (inFlight.has(keyText(key)) || isUnderWay(state) || entry?.problem !== undefined) return [];
    const files = waiting.get(key);
    const seen = entry?.fields ? adoptFiles(map.fields, entry.fields, [state.journey]) : null;
    const row = rows.get(key.id);
    const isJourneyDifferent = !areFieldsEqual(withoutUnread(state.journey, entry), seen);
    const isHeliumDifferent = !areFieldsEqual(
      withoutWaiting(row ? adoptFiles(map.fields, row, [expectedFields(state)]) : null, files),
      withoutWaiting(expectedFields(state), files),
    );
    const differsIn = { helium: isHeliumDifferent, journey: isJourneyDifferent };
    if (!isJourneyDifferent && !isHeliumDifferent) return [];
    const isSource = (side: Side) => isFollowed(active, map, side, state);
    const isSourceDifferent = sides.some((side) => differsIn[side] && isSource(side));
    const isIn = { helium: row !== undefined, journey: entry !== null };
    const absent = state.journey && findAbsence(isIn);
    const absentIn = absent && isSource(absent) ? absent : null;
    const cleared = findCleared(state.journey, { row, seen, files }).filter(({ side }) => isSource(side));
    return [{ key, isIn, isJourneyDifferent, isSourceDifferent, absentIn, cleared }];
  });
  return { differences, rowCount: rows.size };
}

const sides = ['helium', 'journey'] as const;

/**
 * Whether the other side follows this one. Where only one direction is on, a record that was never
 * synced may be older than the version that it started from.
 */
function isFollowed({ run }: ActiveRun, map: ObjectMap, side: Side, { journey }: RecordState): boolean {
  const { heliumToJourney, journeyToHelium } = run.integration.config;
  if (!(side === 'helium' ? map.toJourney : map.toHelium)) return false;
  const start =
    side === 'helium' ? heliumToJourney.changeLogMinVersionAsString : journeyToHelium.oplogMinVersionAsString;
  return journey !== null || start === '0' || (map.toJourney && map.toHelium);
}

/** Whether writes to Journey may still change the record. */
function isUnderWay(state: RecordState): boolean {
  return state.intents.some(({ stage }) => stage === 'sent') || !areFieldsEqual(expectedFields(state), state.journey);
}

function findAbsence({ helium, journey }: Difference['isIn']): Side | null {
  if (helium === journey) return null;
  return helium ? 'journey' : 'helium';
}

interface BothSides {
  readonly row: Fields | undefined;
  readonly seen: Fields | null;
  readonly files: RecordFiles | undefined;
}

function findCleared(known: Fields | null, { row, seen, files }: BothSides): Difference['cleared'] {
  if (!known || !row || !seen) return [];
  return Object.keys(known).flatMap((column) => {
    const isSeen = Object.hasOwn(seen, column) && Object.hasOwn(row, column) && !files?.has(column);
    if (!isSeen || known[column] === null || (row[column] === null) === (seen[column] === null)) return [];
    return [{ side: row[column] === null ? 'helium' : 'journey', column }] as const;
  });
}

/** Removes files that Journey has and Helium does not have yet. */
function withoutWaiting(fields: Fields | null, files: RecordFiles | undefined): Fields | null {
  if (fields === null || !files) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([column]) => !files.has(column)));
}

/** Removes files whose content is not known yet: they cannot be compared. */
function withoutUnread(fields: Fields | null, entry: JourneyEntry | null): Fields | null {
  if (fields === null || entry?.fields == null) return fields;
  const { fields: seen } = entry;
  return Object.fromEntries(Object.entries(fields).filter(([column]) => Object.hasOwn(seen, column)));
}
