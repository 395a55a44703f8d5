import { useEffect, useState } from 'react';
import { getServerNow } from './server-clock.ts';

/**
 * Re-renders at an interval and returns the server's time in epoch milliseconds. Also reads the
 * clock on each render, so that a change just made is not shown in the future.
 */
export function useNow(intervalMs: number): number {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return getServerNow();
}
