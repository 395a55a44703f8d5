/**
 * Compares both sides in full, at a bounded rate, while changes keep flowing. It finds what no log
 * reports – truncated tables, rows written with triggers off, a restored database – and repairs it
 * through the normal path of changes.
 *
 *   a page of Journey's objects + the rows and known states of the same ids ─▶ suspects
 *     ─▶ both logs read past that moment ─▶ still different?
 *     ─▶ repaired: marked dirty, or refreshed from Journey
 *     ─▶ absent on one side: collected, and decided about once the whole table was compared
 *     ─▶ only on a side whose changes are not read: listed, and left as it is
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { HeldState } from '@portal/contract/sync/records';
import { formatCount } from '../../integration/format-count.ts';
import { addDriftPoint, countHeld } from '../../sync-state/comparisons.store.ts';
import { removeOtherDifferences } from '../../sync-state/differences.store.ts';
import { verifySides } from '../restore/notice/check-sides.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { findObjectMap, withLockedState } from '../state/context.ts';
import { comparePage } from './find-differences.ts';
import { findLeftAsIs, type LeftRecord } from './find-left-as-is.ts';
import { maxListed, settleLeftAsIs } from './left-as-is.ts';
import { refreshUnfittingFiles } from './refresh-unfitting-files.ts';
import { repairDifferences, settleCollected, startCollecting, waitForLogs } from './repair-differences.ts';

export interface Drift {
  readonly table: string;
  readonly compared: number;
  /** The number of records on each side, before repairs. */
  readonly helium: number;
  readonly journey: number;
  /** Records that still differed after both logs were read. They were repaired. */
  readonly drifted: number;
  /** Records that differ only on a side whose changes are not read. */
  readonly leftAsIs: number;
  /** Records on hold by state: they differ, and were not repaired. */
  readonly held: Readonly<Record<HeldState, number>>;
  /** Files of Journey that Helium does not have yet. They are downloaded. */
  readonly waitingFiles: number;
  /**
   * Files in Helium that their field cannot hold, or that were cut off. Journey's were requested
   * again.
   */
  readonly unfittingFiles: number;
}

/** Compares every table, logs each result and returns them all. */
export async function compareSides(active: ActiveRun): Promise<Drift[]> {
  await verifySides(active);
  const found: Drift[] = [];
  const { context } = active;
  const tables = context.mapping.objects.map(({ table }) => table);
  await withLockedState(context, (db) => removeOtherDifferences(db, context.stateId, tables));
  for (const table of tables) {
    const drift = await compareTable(active, table);
    if (!drift) continue;
    found.push(drift);
    const point = { ...drift, held: sum(drift.held) };
    await withLockedState(active.context, (db) => addDriftPoint(db, active.context.stateId, point));
    active.run.log(drift.drifted + point.held + drift.unfittingFiles === 0 ? 'INFO' : 'WARNING', describeDrift(drift));
  }
  active.tally.requestRecount();
  active.toHelium.wake();
  return found;
}

function sum(held: Drift['held']): number {
  return held.dead + held.parked + held.skipped + held.waiting;
}

function describeDrift(drift: Drift): string {
  const { table, compared, drifted, leftAsIs, held, waitingFiles, unfittingFiles } = drift;
  const states = (['dead', 'parked', 'skipped', 'waiting'] as const).filter((state) => held[state] > 0);
  const facts = [
    ...(drifted > 0 ? [`${drifted} differed and were repaired`] : []),
    ...(leftAsIs > 0
      ? [
          `${leftAsIs} ${leftAsIs === 1 ? 'differs' : 'differ'} on the side whose changes are not read, and nothing was changed`,
        ]
      : []),
    ...(states.length > 0
      ? [
          `${sum(held)} ${sum(held) === 1 ? 'differs' : 'differ'}: ${states.map((state) => `${held[state]} ${state}`).join(', ')}`,
        ]
      : []),
    ...(waitingFiles > 0 ? [`${formatCount(waitingFiles, 'file')} not there yet`] : []),
    ...(unfittingFiles > 0
      ? [
          `${formatCount(unfittingFiles, 'file')} ${unfittingFiles === 1 ? 'that is cut off or does not fit its field is' : 'that are cut off or do not fit their fields are'} downloaded again`,
        ]
      : []),
  ];
  return `Compared ${table}: ${formatCount(compared, 'record')}, ${facts.join(', ') || 'all equal'}.`;
}

/** Returns null when the table has left the mapping in the meantime. */
async function compareTable(active: ActiveRun, table: string): Promise<Drift | null> {
  let [compared, helium, journey, drifted, leftAsIs, waitingFiles, unfittingFiles] = [0, 0, 0, 0, 0, 0, 0];
  const left: LeftRecord[] = [];
  let hasSuspects = false;
  let afterId: string | null = null;
  await startCollecting(active, table);
  for (;;) {
    const map = findObjectMap(active.context, table);
    if (!map) return null;
    const page = await comparePage(active, map, afterId);
    compared += page.compared;
    helium += page.helium;
    journey += page.journey;
    waitingFiles += page.waitingFiles;
    if (page.suspects.length > 0) {
      hasSuspects = true;
      await waitForLogs(active);
      const { repaired, others } = await repairDifferences(active, map, { afterId, suspects: page.suspects });
      drifted += repaired;
      const found = await findLeftAsIs(active, map, others);
      leftAsIs += found.length;
      left.push(...found.slice(0, maxListed - left.length));
    }
    if (map.toHelium) unfittingFiles += await refreshUnfittingFiles(active, map, page.keys);
    if (page.lastId === null) {
      if (hasSuspects) drifted += await settleCollected(active, table);
      await settleLeftAsIs(active, table, left);
      const { helium: gateway, stateId } = active.context;
      const held = await countHeld(gateway.pool, stateId, table);
      return { table, compared, helium, journey, drifted, leftAsIs, held, waitingFiles, unfittingFiles };
    }
    afterId = page.lastId;
    await pause(active.timing.comparePauseMs, undefined, { signal: active.run.signal });
  }
}
