import type { OnCall } from '@portal/platforms/journey/call';

/**
 * Watches calls to Journey. Calls `report` with the time (epoch milliseconds) of the oldest call
 * that has been unanswered for longer than `afterMs`, and with null when none is left.
 */
export function watchUnanswered(afterMs: number, report: (sinceMs: number | null) => void): OnCall {
  /** The calls that take long, the oldest first, because each is added after the same time. */
  const slowCalls = new Set<{ readonly sinceMs: number }>();
  const reportOldest = () => {
    const [oldest] = slowCalls;
    report(oldest?.sinceMs ?? null);
  };
  return () => {
    const call = { sinceMs: Date.now() };
    const timer = setTimeout(() => {
      slowCalls.add(call);
      reportOldest();
    }, afterMs);
    return () => {
      clearTimeout(timer);
      if (slowCalls.delete(call)) reportOldest();
    };
  };
}
