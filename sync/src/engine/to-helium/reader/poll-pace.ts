import { setTimeout as pause } from 'node:timers/promises';
import { createTokenBucket, type TokenBucket } from '@portal/platforms/journey/token-bucket';
import type { ActiveRun } from '../../run/active-run.ts';
import type { Timing } from '../../run/pace/timing.ts';

/**
 * For this long after a change, the op-log is polled as often as Journey allows. After that, idle
 * op-logs take turns. It is polled less often while Journey's webhooks announce the changes.
 */
const activeMs = 60_000;

/** The PollPace decides how often the op-log is polled. */
export class PollPace {
  readonly #active: ActiveRun;
  /** The time of the last change; 0 when there was none in this run. */
  #lastChangeMs = 0;
  /**
   * One poll may be ahead of its time: a webhook would otherwise often wait for the rest of a
   * second, only because a poll has just found nothing.
   */
  readonly #polls: TokenBucket;

  constructor(active: ActiveRun) {
    this.#active = active;
    this.#polls = createTokenBucket({ perSecond: 1_000 / active.timing.pollMs, burst: 2 });
  }

  recordChange(): void {
    this.#lastChangeMs = Date.now();
  }

  recordPoll(): void {
    const nowMs = performance.now();
    // The pages of a backlog are read without waiting. A timer may end a millisecond early.
    if (this.#polls.nextAtMs(nowMs) - nowMs <= 1) this.#polls.take(nowMs);
  }

  async waitForNextPoll(): Promise<void> {
    const { timing, toHelium, run } = this.#active;
    await toHelium.sleep(Math.max(timing.pollMs, this.#getIdleMs()), run.signal);
    const nowMs = performance.now();
    const waitMs = this.#polls.nextAtMs(nowMs) - nowMs;
    if (waitMs > 0) await pause(waitMs, undefined, { signal: run.signal }).catch(() => undefined);
  }

  #getIdleMs(): number {
    const { timing, run, reserveIdlePoll, progress, echoes, tally, announced } = this.#active;
    const nowMs = Date.now();
    const areComplete = announced.areComplete(nowMs);
    run.publish({ webhookMissedMs: announced.missedMs });
    return chooseIdleMs({
      isAwaited: progress.isAwaited || echoes.isAwaited || tally.hasWaiting,
      isActive: nowMs - Math.max(this.#lastChangeMs, announced.receivedMs) < activeMs,
      announced: areComplete ? timing.announced : null,
      isExpecting: echoes.hasUnsettled || announced.isExpecting,
      reserveIdlePoll,
    });
  }
}

interface PollFacts {
  /** Whether another loop waits for the op-log. */
  readonly isAwaited: boolean;
  /** Whether something changed, or a webhook arrived, in the last minute. */
  readonly isActive: boolean;
  /** null unless webhooks can be relied on. */
  readonly announced: Timing['announced'] | null;
  /** Whether an entry is to be expected at any moment. */
  readonly isExpecting: boolean;
  readonly reserveIdlePoll: () => number;
}

/** Returns for how many milliseconds the op-log is not polled, unless the loop is woken. */
export function chooseIdleMs({ isAwaited, isActive, announced, isExpecting, reserveIdlePoll }: PollFacts): number {
  if (isAwaited) return 0;
  if (announced === null) return isActive ? 0 : reserveIdlePoll();
  if (isExpecting) return 0;
  return isActive ? announced.activePollMs : Math.max(announced.idlePollMs, reserveIdlePoll());
}
