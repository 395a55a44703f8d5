/**
 * Compares both sides whole, at a bounded rate, beside the records that flow: what no log reports –
 * truncated tables, rows written with triggers off, a restored database – is found here, and goes
 * the way of every other change.
 *
 *   a page of Journey's objects + the rows and what is known of the same ids ─▶ suspects
 *     ─▶ both logs read past that moment ─▶ still different? ─▶ repaired: dirty, or as if the op-log had said it
 */
import { setTimeout as pause } from 'node:timers/promises';
import { addDriftPoint } from '../../sync-state/comparisons.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { formatCount } from '../shared/format-count.ts';
import { inState, mapOf } from '../shared/sync-context.ts';
import { comparePage } from './find-differences.ts';
import { repairDifferences, waitForLogs } from './repair-differences.ts';

/**
 * Between two pages; the op-log, which every page waits for, may be polled once a second anyway.
 */
const pauseMs = 1_000;

export interface Drift {
  readonly table: string;
  readonly compared: number;
  /** Records each side had, before anything was repaired. */
  readonly helium: number;
  readonly journey: number;
  /** Records that differed though both logs had been read: repaired. */
  readonly drifted: number;
}

/** Compares every table that is synced both ways. Logs what it finds, and returns it. */
export async function compareSides(active: ActiveRun): Promise<Drift[]> {
  const found: Drift[] = [];
  for (const { table, toHelium, toJourney } of active.context.mapping.objects) {
    // With one direction off the two sides are not meant to be equal.
    if (!(toHelium && toJourney)) continue;
    const drift = await compareTable(active, table);
    if (!drift) continue;
    found.push(drift);
    await inState(active.context, (db) => addDriftPoint(db, active.context.stateId, drift));
    const compared = `Compared ${table}: ${formatCount(drift.compared, 'record')}`;
    if (drift.drifted === 0) active.run.log('INFO', `${compared}, all equal.`);
    else active.run.log('WARNING', `${compared}, ${drift.drifted} differed and are mended.`);
  }
  return found;
}

/** null: the table has left the mapping since. */
async function compareTable(active: ActiveRun, table: string): Promise<Drift | null> {
  let [compared, helium, journey, drifted] = [0, 0, 0, 0];
  let afterId: string | null = null;
  for (;;) {
    const map = mapOf(active.context, table);
    if (!map) return null;
    const page = await comparePage(active, map, afterId);
    compared += page.compared;
    helium += page.helium;
    journey += page.journey;
    if (page.suspects.length > 0) {
      await waitForLogs(active);
      drifted += await repairDifferences(active, map, { afterId, suspects: page.suspects });
    }
    if (page.lastId === null) return { table, compared, helium, journey, drifted };
    afterId = page.lastId;
    await pause(pauseMs, undefined, { signal: active.run.signal });
  }
}
