export interface CountOptions {
  readonly concurrency: number;
  /** Time limit; objects not counted by then are omitted. */
  readonly timeoutMs: number;
  /** Ends the operation with the signal's reason. */
  readonly signal: AbortSignal;
}

/**
 * Counts objects with limited concurrency. Objects not counted in time have no entry. An error from
 * `count` ends the whole operation, unless the time was up.
 */
export async function countWithin<Item>(
  items: readonly Item[],
  count: (item: Item, signal: AbortSignal) => Promise<number | null>,
  { concurrency, timeoutMs, signal: ended }: CountOptions,
): Promise<ReadonlyMap<Item, number>> {
  const signal = AbortSignal.any([ended, AbortSignal.timeout(timeoutMs)]);
  const counts = new Map<Item, number>();
  const waiting = items.values();
  const countNext = async () => {
    for (const item of waiting) {
      ended.throwIfAborted();
      if (signal.aborted) return;
      try {
        const counted = await count(item, signal);
        if (counted !== null) counts.set(item, counted);
      } catch (error) {
        if (!signal.aborted || ended.aborted) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, countNext));
  return counts;
}
