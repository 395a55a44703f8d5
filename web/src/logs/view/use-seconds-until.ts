import { useEffect, useState } from 'react';

/** Returns the whole seconds until an instant (epoch milliseconds), 0 after it or for null. */
export function useSecondsUntil(instant: number | null): number {
  const [, setTick] = useState(0);
  useEffect(() => {
    if (instant === null) return;
    const timer = setInterval(() => setTick((tick) => tick + 1), 250);
    return () => clearInterval(timer);
  }, [instant]);
  return instant === null ? 0 : Math.max(0, Math.ceil((instant - Date.now()) / 1000));
}
