/**
 * Journey → Helium: retries records that wait for values of others, once the op-log was read. Those
 * that wait for each other are written together, or a part of them at a time; the others are tried.
 */
import { orderRows } from '../../../helium/order-rows.ts';
import { type Order, removeSlice, takeSlice } from '../../../helium/slice-order.ts';
import { keyText } from '../../../record/record-key.ts';
import { readBlocked, releaseBlocked } from '../../../sync-state/blocked-records.store.ts';
import { readDue } from '../../../sync-state/held-records.store.ts';
import type { RunWith } from '../../run/parts.ts';
import { pageSize } from '../../state/context.ts';
import type { PageStep } from '../writer/ring-step.ts';
import { retryRecords } from './retry-due-records.ts';

/** How many records are written in one transaction if they cannot be written in several. */
const maxTogether = 20_000;

/** How many parts are written before the op-log is read again, and the records that are left. */
const maxSlices = 10;

/** Returns whether there was anything to do. */
export async function retryBlockedRecords(run: RunWith<'loops' | 'progress' | 'tally'>): Promise<boolean> {
  const { context, tally } = run;
  const { helium, stateId } = context;
  if (!tally.hasHeld || !tally.hasNewBlocked) return false;
  const tables = context.mapping.objects.filter(({ toHelium }) => toHelium).map(({ table }) => table);
  // These may free the values.
  if ((await readDue(helium.pool, stateId, 'journey-to-helium', { tables, limit: 1 })).length > 0) return true;
  tally.startBlockedCheck();
  const { keys, blockedBy } = await readBlocked(helium.pool, stateId);
  let left: Order = { order: orderRows(blockedBy, () => true).order, blockedBy };
  const toKeys = (ids: Iterable<string>) =>
    [...ids].flatMap((id) => keys.get(id) ?? []).filter(({ table }) => tables.includes(table));
  let isWritten = false;
  let tried = 0;
  for (let slices = 0; slices < maxSlices && left.order.length > 0 && !run.signal.aborted; slices += 1) {
    const slice = takeSlice(left.order, left.blockedBy, pageSize);
    const { ids, step } = slice;
    tried = ids.length;
    const [row, from] = step ? toKeys([step.row, step.from]) : [];
    const pageStep: PageStep | undefined = row &&
      from && { row, from, blockedBy: toKeys(left.blockedBy.get(keyText(row)) ?? []) };
    const written = ids.length === 0 ? 0 : await retryRecords(run, toKeys(ids), pageStep);
    isWritten ||= written > 0;
    // Otherwise some were not written as planned, or needed no change any more.
    if (written === 0 || written < ids.length - (step ? 1 : 0)) break;
    left = removeSlice(left, slice);
  }
  const together = toKeys(left.order);
  if (!isWritten && together.length > tried && together.length <= maxTogether)
    isWritten = (await retryRecords(run, together)) > 0;
  if (isWritten) {
    tally.requestBlockedCheck();
    return true;
  }
  return (await releaseBlocked(helium.pool, stateId)) > 0;
}
