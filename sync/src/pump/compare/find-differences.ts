/**
 * Finds records that differ between Helium, Journey and what is known of both, and are not just
 * being synced.
 */
import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import type { ObjectMap } from '../../mapping/object-map.ts';
import { type Fields, sameFields } from '../../record/fields.ts';
import { keyText, type RecordKey } from '../../record/record-key.ts';
import { expectedFields } from '../../record/record-state.ts';
import { isInFlight, readIdsOfBoth } from '../../sync-state/comparisons.store.ts';
import { readRecords } from '../../sync-state/records.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { findCommonPage } from '../shared/common-page.ts';

/**
 * Smaller than a page of the log: what a comparison holds must not slow down the records that flow.
 */
export const comparedAtOnce = 500;

export interface ComparedPage {
  readonly compared: number;
  /** Records each side has. */
  readonly helium: number;
  readonly journey: number;
  /** What differs now, and may not once both logs are read. */
  readonly suspects: readonly RecordKey[];
  /** null: this was the last page. */
  readonly lastId: string | null;
}

export async function comparePage(active: ActiveRun, map: ObjectMap, afterId: string | null): Promise<ComparedPage> {
  const { context, run } = active;
  const limit = comparedAtOnce;
  const listed = await run.withSlot(() => context.journey.listAfter(map, afterId, limit, run.signal));
  const known = await readIdsOfBoth(context.helium, context.stateId, map.table, { afterId, limit });
  const there = listed.map(({ key }) => key.id);
  const { includes, lastId } = findCommonPage(there, known, limit);
  const keys = [...new Set([...there, ...known])].filter(includes).map((id) => ({ table: map.table, id }));
  const { differences, rowCount } = await findDifferences(active, map, keys, listed);
  const suspects = differences.map(({ key }) => key);
  return { compared: keys.length, helium: rowCount, journey: there.filter(includes).length, suspects, lastId };
}

export interface Difference {
  readonly key: RecordKey;
  /** Whether Journey's object differs from what is known of it. */
  readonly isJourneyOther: boolean;
}

/** @returns what differs and is not being synced, and how many of all these records Helium has */
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
  const rows = new Map((await helium.readRows(helium.pool, map, ids, false)).map((row) => [row.id, row.fields]));
  const inFlight = await isInFlight(helium.pool, stateId, keys);
  const differences = keys.flatMap((key) => {
    const state = records.of(key);
    const entry = entries.get(key.id) ?? null;
    if (inFlight.has(keyText(key)) || state.intents.length > 0 || entry?.problem !== undefined) return [];
    const isJourneyOther = !sameFields(withoutUnread(state.journey, entry), entry?.fields ?? null);
    const isHeliumOther = !sameFields(rows.get(key.id) ?? null, expectedFields(state));
    return isJourneyOther || isHeliumOther ? [{ key, isJourneyOther }] : [];
  });
  return { differences, rowCount: rows.size };
}

/** Leaves out files whose content is not known yet: they cannot be compared. */
function withoutUnread(fields: Fields | null, entry: JourneyEntry | null): Fields | null {
  if (fields === null || entry?.fields == null) return fields;
  const { fields: seen } = entry;
  return Object.fromEntries(Object.entries(fields).filter(([column]) => column in seen));
}
