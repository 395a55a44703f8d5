/**
 * Journey → Helium: settles records that wait for values of others, once the op-log was read. Those
 * that wait for each other are written together; the others are tried.
 */
import { orderRows } from '../../helium/order-rows.ts';
import { readBlocked, releaseBlocked } from '../../sync-state/blocked-records.store.ts';
import { readDue } from '../../sync-state/held-records.store.ts';
import type { ActiveRun } from '../context/active-run.ts';
import { retryRecords } from './retry-due-records.ts';

/** How many records of rings are written in one transaction. */
const maxTogether = 20_000;

/** Returns whether there was anything to do. */
export async function settleBlocked(active: ActiveRun): Promise<boolean> {
  const { context, tally } = active;
  const { helium, stateId } = context;
  if (!tally.hasHeld || !tally.hasNewBlocked) return false;
  const tables = context.mapping.objects.filter(({ toHelium }) => toHelium).map(({ table }) => table);
  // These may free the values.
  if ((await readDue(helium.pool, stateId, 'journey-to-helium', { tables, limit: 1 })).length > 0) return true;
  tally.startBlockedCheck();
  const { keys, blockedBy } = await readBlocked(helium.pool, stateId);
  const { order } = orderRows(blockedBy, () => true);
  const together = order.flatMap((key) => keys.get(key) ?? []).filter(({ table }) => tables.includes(table));
  if (together.length > 0 && together.length <= maxTogether && (await retryRecords(active, together)) > 0) {
    tally.requestBlockedCheck();
    return true;
  }
  return (await releaseBlocked(helium.pool, stateId)) > 0;
}
