/**
 * Journey → Helium: settles records that wait for values of others, once the op-log was read. Those
 * that wait for each other are written together, or a part of them at a time; the others are tried.
 */
import { orderRows } from '../../../helium/order-rows.ts';
import { takeSlice } from '../../../helium/slice-order.ts';
import { keyText } from '../../../record/record-key.ts';
import { readBlocked, releaseBlocked } from '../../../sync-state/blocked-records.store.ts';
import { readDue } from '../../../sync-state/held-records.store.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import { pageSize } from '../../state/context.ts';
import type { PageStep } from '../writer/ring-step.ts';
import { retryRecords } from './retry-due-records.ts';

/** How many records are written in one transaction if they cannot be written in several. */
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
  const toKeys = (ids: Iterable<string>) =>
    [...ids].flatMap((id) => keys.get(id) ?? []).filter(({ table }) => tables.includes(table));
  const { ids, step } = takeSlice(order, blockedBy, pageSize);
  const [row, from] = step ? toKeys([step.row, step.from]) : [];
  const pageStep: PageStep | undefined = row &&
    from && { row, from, blockedBy: toKeys(blockedBy.get(keyText(row)) ?? []) };
  const slice = toKeys(ids);
  const together = toKeys(order);
  const isWritten =
    (slice.length > 0 && (await retryRecords(active, slice, pageStep)) > 0) ||
    (together.length > slice.length && together.length <= maxTogether && (await retryRecords(active, together)) > 0);
  if (isWritten) {
    tally.requestBlockedCheck();
    return true;
  }
  return (await releaseBlocked(helium.pool, stateId)) > 0;
}
