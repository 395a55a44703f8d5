import { setTimeout as pause } from 'node:timers/promises';
import type { ActiveRun } from '../shared/active-run.ts';

/**
 * For this long after something came, an op-log is polled as often as Journey allows; then in turn
 * with the other idle ones.
 */
const activeMs = 60_000;

/** How often the op-log is polled. */
export class PollPace {
  readonly #active: ActiveRun;
  /** When something came last; 0: not since the run began. */
  #lastChangeMs = 0;
  #lastPollMs = 0;

  constructor(active: ActiveRun) {
    this.#active = active;
  }

  noticeChange(): void {
    this.#lastChangeMs = Date.now();
  }

  startPoll(): void {
    this.#lastPollMs = Date.now();
  }

  async restUntilNextPoll(): Promise<void> {
    const { timing, toHelium, run, takeIdleTurn, progress, echoes } = this.#active;
    const { pollMs } = timing;
    const isActive = Date.now() - this.#lastChangeMs < activeMs || progress.isAwaited || echoes.isAwaited;
    await toHelium.sleep(Math.max(pollMs, isActive ? 0 : takeIdleTurn()), run.signal);
    const sinceMs = Date.now() - this.#lastPollMs;
    if (sinceMs < pollMs) await pause(pollMs - sinceMs, undefined, { signal: run.signal }).catch(() => undefined);
  }
}
