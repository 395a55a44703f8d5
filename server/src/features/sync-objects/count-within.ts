export interface CountOptions {
  readonly concurrency: number;
  /** After which what is not counted yet is left out. */
  readonly timeoutMs: number;
}

/**
 * Counts each, some at a time. What could not be counted in time has no entry; what `count` throws
 * ends it all, unless time was up.
 */
export async function countWithin(
  names: readonly string[],
  count: (name: string, signal: AbortSignal) => Promise<number | null>,
  { concurrency, timeoutMs }: CountOptions,
): Promise<ReadonlyMap<string, number>> {
  const signal = AbortSignal.timeout(timeoutMs);
  const counts = new Map<string, number>();
  const waiting = names.values();
  const countNext = async () => {
    for (const name of waiting) {
      if (signal.aborted) return;
      try {
        const counted = await count(name, signal);
        if (counted !== null) counts.set(name, counted);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, countNext));
  return counts;
}
