/**
 * Compares both sides whole, at a bounded rate, beside the records that flow: what no log tells of – truncated tables,
 * rows written with triggers off, a restored database – is found here, and goes the way of every other change.
 *
 *   a page of Journey's objects + the rows and what is known of the same ids ─▶ suspects
 *     ─▶ both logs read past that moment ─▶ still different? ─▶ mended: dirty, or as if the op-log had said it
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Fields, sameFields } from '../engine/fields.ts';
import { keyText, type RecordKey } from '../engine/record-key.ts';
import { expectedOf } from '../engine/record-state.ts';
import type { JourneyEntry } from '../journey/journey-end.ts';
import type { ObjectMap } from '../mapping/object-map.ts';
import { addDriftPoint, isInFlight, readIdsOfBoth } from '../state/audit-store.ts';
import { markDirty } from '../state/dirty-store.ts';
import { readRecords } from '../state/record-store.ts';
import type { IntegrationRun } from './integration-run.ts';
import { pageOfBoth } from './page-of-both.ts';
import { inState, mapOf } from './pump.ts';
import { count } from './tell-carried.ts';

const PAGE = 500;
/** Between two pages; the op-log, which every page waits for, may be asked once a second anyway. */
const PAUSE_MS = 1_000;

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
export async function auditDrift(on: IntegrationRun): Promise<Drift[]> {
  const found: Drift[] = [];
  for (const { table, toHelium, toJourney } of on.pump.mapping.objects) {
    // With one direction off the two sides are not meant to be equal.
    if (!(toHelium && toJourney)) continue;
    const drift = await auditTable(on, table);
    if (!drift) continue;
    found.push(drift);
    await inState(on.pump, (db) => addDriftPoint(db, on.pump.run, drift));
    const compared = `Compared ${table}: ${count(drift.compared, 'record')}`;
    if (drift.drifted === 0) on.run.log('INFO', `${compared}, all equal.`);
    else on.run.log('WARNING', `${compared}, ${drift.drifted} differed and are mended.`);
  }
  return found;
}

/** null: meanwhile it has left the mapping. */
async function auditTable(on: IntegrationRun, table: string): Promise<Drift | null> {
  let [compared, helium, journey, drifted] = [0, 0, 0, 0];
  let afterId: string | null = null;
  for (;;) {
    const map = mapOf(on.pump, table);
    if (!map) return null;
    const page = await look(on, map, afterId);
    compared += page.compared;
    helium += page.helium;
    journey += page.journey;
    if (page.suspects.length > 0) {
      await catchUp(on);
      drifted += await mend(on, map, { afterId, suspects: page.suspects });
    }
    if (page.lastId === null) return { table, compared, helium, journey, drifted };
    afterId = page.lastId;
    await pause(PAUSE_MS, undefined, { signal: on.run.signal });
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

async function look(on: IntegrationRun, map: ObjectMap, afterId: string | null): Promise<Looked> {
  const { pump, run } = on;
  const listed = await run.slot(() => pump.journey.listAfter(map, afterId, PAGE, run.signal));
  const known = await readIdsOfBoth(pump.helium, pump.run, map.table, { afterId, limit: PAGE });
  const there = listed.map(({ key }) => key.id);
  const { includes, lastId } = pageOfBoth(there, known, PAGE);
  const keys = [...new Set([...there, ...known])].filter(includes).map((id) => ({ table: map.table, id }));
  const { different, rows } = await compare(on, map, keys, listed);
  const suspects = different.map(({ key }) => key);
  return { compared: keys.length, helium: rows, journey: there.filter(includes).length, suspects, lastId };
}

interface Difference {
  readonly key: RecordKey;
  readonly isJourneyOther: boolean;
}

/** What differs and is not just on its way, and how many of them Helium has. */
async function compare(
  on: IntegrationRun,
  map: ObjectMap,
  keys: readonly RecordKey[],
  listed: readonly JourneyEntry[],
): Promise<{ readonly different: readonly Difference[]; readonly rows: number }> {
  const { helium, run } = on.pump;
  const ids = keys.map(({ id }) => id);
  const entries = new Map(listed.map((entry) => [entry.key.id, entry]));
  const records = await readRecords(helium.pool, run, keys);
  const rows = new Map((await helium.readRows(helium.pool, map, ids, false)).map((row) => [row.id, row.fields]));
  const inFlight = await isInFlight(helium.pool, run, keys);
  const different = keys.flatMap((key) => {
    const state = records.of(key);
    const entry = entries.get(key.id) ?? null;
    if (inFlight.has(keyText(key)) || state.intents.length > 0 || entry?.problem !== undefined) return [];
    const isJourneyOther = !sameFields(withoutUnread(state.journey, entry), entry?.fields ?? null);
    const isHeliumOther = !sameFields(rows.get(key.id) ?? null, expectedOf(state));
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
async function catchUp(on: IntegrationRun): Promise<void> {
  const { pump, run } = on;
  const opLogHead = BigInt(await pump.journey.readHead(run.signal));
  const changeLogHead = BigInt(await pump.helium.readHead());
  const isBehind = () =>
    on.at.toHelium !== null ||
    on.at.toJourney !== null ||
    BigInt(on.at.opLogCursor) < opLogHead ||
    BigInt(on.at.changeLogCursor) < changeLogHead ||
    on.hasUnsettled;
  while (isBehind()) {
    on.toHelium.ring();
    on.toJourney.ring();
    await pause(100, undefined, { signal: run.signal });
  }
}

async function mend(
  on: IntegrationRun,
  map: ObjectMap,
  { afterId, suspects }: { readonly afterId: string | null; readonly suspects: readonly RecordKey[] },
): Promise<number> {
  const { pump, run } = on;
  // Made meanwhile, others may have come between; who is pushed off the end waits for the next comparison.
  const most = 2 * PAGE;
  const listed = await run.slot(() => pump.journey.listAfter(map, afterId, most, run.signal));
  const { includes } = pageOfBoth(
    listed.map(({ key }) => key.id),
    [],
    most,
  );
  const seen = suspects.filter(({ id }) => includes(id));
  const { different } = await compare(on, map, seen, listed);
  // By the loop that applies the op-log: from here an edit that is applied meanwhile would be written over.
  on.toLookAt.push(...different.filter(({ isJourneyOther }) => isJourneyOther).map(({ key }) => key));
  while (on.toLookAt.length > 0) {
    on.toHelium.ring();
    await pause(100, undefined, { signal: run.signal });
  }
  await inState(pump, (db) =>
    markDirty(
      db,
      pump.run,
      different.map(({ key }) => key),
    ),
  );
  on.toJourney.ring();
  return different.length;
}
