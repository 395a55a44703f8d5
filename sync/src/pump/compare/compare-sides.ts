/**
 * Compares both sides whole, at a bounded rate, beside the records that flow: what no log tells of – truncated tables,
 * rows written with triggers off, a restored database – is found here, and goes the way of every other change.
 *
 *   a page of Journey's objects + the rows and what is known of the same ids ─▶ suspects
 *     ─▶ both logs read past that moment ─▶ still different? ─▶ mended: dirty, or as if the op-log had said it
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { JourneyEntry } from '../../journey/journey-end.ts';
import type { ObjectMap } from '../../mapping/object-map.ts';
import { type Fields, sameFields } from '../../record/fields.ts';
import { keyText, type RecordKey } from '../../record/record-key.ts';
import { expectedFields } from '../../record/record-state.ts';
import { addDriftPoint, isInFlight, readIdsOfBoth } from '../../sync-state/comparisons.store.ts';
import { markDirty } from '../../sync-state/dirty-records.store.ts';
import { readRecords } from '../../sync-state/records.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { pageOfBoth } from '../shared/common-page.ts';
import { count } from '../shared/format-count.ts';
import { inState, mapOf } from '../shared/sync-context.ts';

const pageSize = 500;
/** Between two pages; the op-log, which every page waits for, may be asked once a second anyway. */
const pauseMs = 1_000;

export interface Drift {
  readonly table: string;
  readonly compared: number;
  /** How many each side had, before anything was mended. */
  readonly helium: number;
  readonly journey: number;
  /** Records that differed though both logs had been read: mended. */
  readonly drifted: number;
}

/** Tells by the log what it finds, and answers it. */
export async function auditDrift(active: ActiveRun): Promise<Drift[]> {
  const found: Drift[] = [];
  for (const { table, toHelium, toJourney } of active.context.mapping.objects) {
    // With one direction off the two sides are not meant to be equal.
    if (!(toHelium && toJourney)) continue;
    const drift = await auditTable(active, table);
    if (!drift) continue;
    found.push(drift);
    await inState(active.context, (db) => addDriftPoint(db, active.context.stateId, drift));
    const compared = `Compared ${table}: ${count(drift.compared, 'record')}`;
    if (drift.drifted === 0) active.run.log('INFO', `${compared}, all equal.`);
    else active.run.log('WARNING', `${compared}, ${drift.drifted} differed and are mended.`);
  }
  return found;
}

/** null: meanwhile it has left the mapping. */
async function auditTable(active: ActiveRun, table: string): Promise<Drift | null> {
  let [compared, helium, journey, drifted] = [0, 0, 0, 0];
  let afterId: string | null = null;
  for (;;) {
    const map = mapOf(active.context, table);
    if (!map) return null;
    const page = await look(active, map, afterId);
    compared += page.compared;
    helium += page.helium;
    journey += page.journey;
    if (page.suspects.length > 0) {
      await catchUp(active);
      drifted += await mend(active, map, { afterId, suspects: page.suspects });
    }
    if (page.lastId === null) return { table, compared, helium, journey, drifted };
    afterId = page.lastId;
    await pause(pauseMs, undefined, { signal: active.run.signal });
  }
}

interface Looked {
  readonly compared: number;
  readonly helium: number;
  readonly journey: number;
  readonly suspects: readonly RecordKey[];
  /** null: this was the last page. */
  readonly lastId: string | null;
}

async function look(active: ActiveRun, map: ObjectMap, afterId: string | null): Promise<Looked> {
  const { context, run } = active;
  const listed = await run.slot(() => context.journey.listAfter(map, afterId, pageSize, run.signal));
  const known = await readIdsOfBoth(context.helium, context.stateId, map.table, { afterId, limit: pageSize });
  const there = listed.map(({ key }) => key.id);
  const { includes, lastId } = pageOfBoth(there, known, pageSize);
  const keys = [...new Set([...there, ...known])].filter(includes).map((id) => ({ table: map.table, id }));
  const { different, rows } = await compare(active, map, keys, listed);
  const suspects = different.map(({ key }) => key);
  return { compared: keys.length, helium: rows, journey: there.filter(includes).length, suspects, lastId };
}

interface Difference {
  readonly key: RecordKey;
  readonly isJourneyOther: boolean;
}

/** What differs and is not just on its way, and how many of them Helium has. */
async function compare(
  active: ActiveRun,
  map: ObjectMap,
  keys: readonly RecordKey[],
  listed: readonly JourneyEntry[],
): Promise<{ readonly different: readonly Difference[]; readonly rows: number }> {
  const { helium, stateId } = active.context;
  const ids = keys.map(({ id }) => id);
  const entries = new Map(listed.map((entry) => [entry.key.id, entry]));
  const records = await readRecords(helium.pool, stateId, keys);
  const rows = new Map((await helium.readRows(helium.pool, map, ids, false)).map((row) => [row.id, row.fields]));
  const inFlight = await isInFlight(helium.pool, stateId, keys);
  const different = keys.flatMap((key) => {
    const state = records.of(key);
    const entry = entries.get(key.id) ?? null;
    if (inFlight.has(keyText(key)) || state.intents.length > 0 || entry?.problem !== undefined) return [];
    const isJourneyOther = !sameFields(withoutUnread(state.journey, entry), entry?.fields ?? null);
    const isHeliumOther = !sameFields(rows.get(key.id) ?? null, expectedFields(state));
    return isJourneyOther || isHeliumOther ? [{ key, isJourneyOther }] : [];
  });
  return { different, rows: rows.size };
}

/** A file whose content is not known yet says nothing. */
function withoutUnread(fields: Fields | null, entry: JourneyEntry | null): Fields | null {
  if (fields === null || entry?.fields == null) return fields;
  const { fields: seen } = entry;
  return Object.fromEntries(Object.entries(fields).filter(([column]) => column in seen));
}

/** What is to be read whole is read, and both logs past everything that has been there by now. */
async function catchUp(active: ActiveRun): Promise<void> {
  const { context, run } = active;
  const opLogHead = BigInt(await context.journey.readHead(run.signal));
  const changeLogHead = BigInt(await context.helium.readHead());
  const isBehind = () =>
    active.at.toHelium !== null ||
    active.at.toJourney !== null ||
    BigInt(active.at.opLogCursor) < opLogHead ||
    BigInt(active.at.changeLogCursor) < changeLogHead ||
    active.hasUnsettled;
  while (isBehind()) {
    active.toHelium.ring();
    active.toJourney.ring();
    await pause(100, undefined, { signal: run.signal });
  }
}

async function mend(
  active: ActiveRun,
  map: ObjectMap,
  { afterId, suspects }: { readonly afterId: string | null; readonly suspects: readonly RecordKey[] },
): Promise<number> {
  const { context, run } = active;
  // Made meanwhile, others may have come between; who is pushed off the end waits for the next comparison.
  const most = 2 * pageSize;
  const listed = await run.slot(() => context.journey.listAfter(map, afterId, most, run.signal));
  const { includes } = pageOfBoth(
    listed.map(({ key }) => key.id),
    [],
    most,
  );
  const seen = suspects.filter(({ id }) => includes(id));
  const { different } = await compare(active, map, seen, listed);
  // By the loop that applies the op-log: from here an edit that is applied meanwhile would be written over.
  active.toLookAt.push(...different.filter(({ isJourneyOther }) => isJourneyOther).map(({ key }) => key));
  while (active.toLookAt.length > 0) {
    active.toHelium.ring();
    await pause(100, undefined, { signal: run.signal });
  }
  await inState(context, (db) =>
    markDirty(
      db,
      context.stateId,
      different.map(({ key }) => key),
    ),
  );
  active.toJourney.ring();
  return different.length;
}
