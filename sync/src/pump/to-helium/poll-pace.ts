import { setTimeout as pause } from 'node:timers/promises';
import type { ActiveRun } from '../shared/active-run.ts';

/**
 * For this long after a change, the op-log is polled as often as Journey allows. After that, idle
 * op-logs take turns.
 */
const activeMs = 60_000;

/** The PollPace decides how often the op-log is polled. */
export class PollPace {
  readonly #active: ActiveRun;
  /** The time of the last change; 0 when there was none in this run. */
  #lastChangeMs = 0;
  #lastPollMs = 0;

  constructor(active: ActiveRun) {
    this.#active = active;
  }

  recordChange(): void {
    this.#lastChangeMs = Date.now();
  }

  recordPoll(): void {
    this.#lastPollMs = Date.now();
  }

  async waitForNextPoll(): Promise<void> {
    const { timing, toHelium, run, reserveIdlePoll, progress, echoes, tally } = this.#active;
    const { pollMs } = timing;
    const isAwaited = progress.isAwaited || echoes.isAwaited || tally.hasWaiting;
    const isActive = isAwaited || Date.now() - this.#lastChangeMs < activeMs;
    await toHelium.sleep(Math.max(pollMs, isActive ? 0 : reserveIdlePoll()), run.signal);
    const sinceMs = Date.now() - this.#lastPollMs;
    if (sinceMs < pollMs) await pause(pollMs - sinceMs, undefined, { signal: run.signal }).catch(() => undefined);
  }
}
