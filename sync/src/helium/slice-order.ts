/**
 * Cuts the rows that get each other's values into transactions, so that none holds many rows.
 *
 *   a: 1 ─▶ 2   b: 2 ─▶ 1   c: 3 ─▶ 4   d: 4 ─▶ 3     two rings, each whole: a and b, c and d
 *   a: 1 ─▶ 2   b: 2 ─▶ 3   c: 3 ─▶ 4   d: 4 ─▶ 1     a long one, in steps: d and c, while a gets 3
 *                                                      for now, which c had; then b and a
 */
import type { BlockedBy } from './order-rows.ts';

/** What one row of a long ring gets while only a part of the ring is written. */
export interface RingStep<Row> {
  readonly row: Row;
  /** The row whose present value it gets. */
  readonly from: Row;
}

interface Slice {
  readonly ids: readonly string[];
  /** Set when they are a part of a ring. */
  readonly step: RingStep<string> | null;
}

/**
 * Returns the first rows of an order that can be written by themselves, at most `limit` and one
 * more; none when a part of a longer ring cannot be.
 */
export function takeSlice(order: readonly string[], blockedBy: BlockedBy, limit: number): Slice {
  const taken = new Set<string>();
  /** Rows that have values of these, and come later. */
  const needed = new Set<string>();
  let whole = 0;
  for (const id of order.slice(0, limit)) {
    taken.add(id);
    needed.delete(id);
    for (const blocker of blockedBy.get(id) ?? []) if (!taken.has(blocker)) needed.add(blocker);
    if (needed.size === 0) whole = taken.size;
  }
  if (whole > 0) return { ids: order.slice(0, whole), step: null };
  const [row] = needed;
  const from = [...taken].at(-1);
  if (needed.size !== 1 || row === undefined || from === undefined) return { ids: [], step: null };
  return { ids: [...taken, row], step: { row, from } };
}

/** Rows in the order in which they can be written, and who has their values. */
export interface Order {
  readonly order: readonly string[];
  readonly blockedBy: BlockedBy;
}

/** Returns what is left of an order when a slice of it was written. */
export function removeSlice({ order, blockedBy }: Order, { ids, step }: Slice): Order {
  const written = new Set(ids);
  if (step) written.delete(step.row);
  const left = order.filter((id) => !written.has(id));
  const move = (blocker: string) => (step && blocker === step.from ? step.row : blocker);
  return {
    order: left,
    blockedBy: new Map(left.map((id) => [id, new Set([...(blockedBy.get(id) ?? [])].map(move))])),
  };
}
