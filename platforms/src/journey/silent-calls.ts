/**
 * Ends calls whose connections died without a sign, as behind a firewall that has forgotten them:
 * they would wait for their time-out long after the network works again.
 *
 *   a call is unanswered ─▶ probes on new connections ─ not answered, nor any call ─▶ silence
 *                                                     ─ answered after a silence ───▶ the calls that
 *                                                       were made before its end are aborted
 *
 * A call that is only slow is left alone: its probes are answered.
 */
import { setTimeout as pause } from 'node:timers/promises';

export interface SilenceTiming {
  /** How long a call is unanswered before the first probe. */
  readonly probeAfterMs: number;
  readonly probeEveryMs: number;
  /** How long a probe may take: before a silence is known, and during one. */
  readonly firstProbeMs: number;
  readonly probeMs: number;
  /** How long after a silence a new call may still get one of the connections that died in it. */
  readonly suspectMs: number;
}

export const defaultSilenceTiming: SilenceTiming = {
  probeAfterMs: 3_000,
  probeEveryMs: 500,
  firstProbeMs: 5_000,
  probeMs: 3_000,
  suspectMs: 10_000,
};

interface OpenCall {
  readonly startedMs: number;
  readonly abort: () => void;
}

/** Called when a call starts. The function it returns is called when the call ends. */
export type WatchSilence = (abort: () => void) => (isAnswered: boolean) => void;

/** @param probe returns whether a new connection is answered within this time */
export function createSilenceWatch(
  probe: (maxMs: number) => Promise<boolean>,
  timing: SilenceTiming = defaultSilenceTiming,
): WatchSilence {
  const open = new Set<OpenCall>();
  let silentUntilMs = Number.NEGATIVE_INFINITY;
  let answeredMs = Number.NEGATIVE_INFINITY;
  let isProbing = false;

  const findUnanswered = () => {
    const latestMs = performance.now() - timing.probeAfterMs;
    return [...open].filter(({ startedMs }) => startedMs <= latestMs);
  };
  const probeOnce = async () => {
    const sentMs = performance.now();
    const isSuspect = () => performance.now() - silentUntilMs < timing.suspectMs;
    if (!(await probe(isSuspect() ? timing.probeMs : timing.firstProbeMs))) {
      if (answeredMs < sentMs) silentUntilMs = performance.now();
      return;
    }
    for (const call of findUnanswered()) if (call.startedMs < silentUntilMs + timing.suspectMs) call.abort();
  };
  const probeWhileUnanswered = async () => {
    if (isProbing) return;
    isProbing = true;
    while (findUnanswered().length > 0) {
      await probeOnce();
      await pause(timing.probeEveryMs, undefined, { ref: false });
    }
    isProbing = false;
  };

  return (abort) => {
    const call: OpenCall = { startedMs: performance.now(), abort };
    open.add(call);
    // A timer may end a millisecond early.
    const timer = setTimeout(() => void probeWhileUnanswered(), timing.probeAfterMs + 1);
    return (isAnswered) => {
      clearTimeout(timer);
      open.delete(call);
      if (isAnswered) answeredMs = performance.now();
    };
  };
}
