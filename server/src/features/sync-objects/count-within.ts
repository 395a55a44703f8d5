export interface CountingWithin {
  readonly atATime: number;
  /** After which what is not counted yet is left out. */
  readonly withinMs: number;
}

/**
 * Counts each, some at a time. What could not be counted in time has no entry; what `count` throws
 * ends it all, unless time was up.
 */
export async function countWithin(
  names: readonly string[],
  count: (name: string, signal: AbortSignal) => Promise<number | null>,
  { atATime, withinMs }: CountingWithin,
): Promise<ReadonlyMap<string, number>> {
  const signal = AbortSignal.timeout(withinMs);
  const counts = new Map<string, number>();
  const waiting = names.values();
  const countOneByOne = async () => {
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
  await Promise.all(Array.from({ length: atATime }, countOneByOne));
  return counts;
}
