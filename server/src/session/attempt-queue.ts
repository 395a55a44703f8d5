import { FairSlots, type FairSlotsOptions } from '@portal/kit/concurrency/fair-slots';
import { TooMany } from '@portal/kit/problems';

export type AttemptQueueLimits = Pick<
  Required<FairSlotsOptions>,
  'maxRunning' | 'maxRunningPerKey' | 'maxWaiting' | 'maxWaitingPerKey'
>;

/** Longer than a request to a slow platform takes. */
const maxWaitMs = 60_000;
const retryAfterSeconds = 1;

/**
 * The AttemptQueue is the component that limits how many attempts run at the same time. The lanes
 * of a group take turns, so that many attempts in one lane do not delay the others.
 */
export class AttemptQueue<T> {
  readonly #limits: AttemptQueueLimits;
  readonly #groups = new Map<string, FairSlots>();
  /** The attempts that have not begun. */
  readonly #waiting = new Map<string, Promise<T>>();

  /** @param limits per group, and per lane of a group */
  constructor(limits: AttemptQueueLimits) {
    this.#limits = limits;
  }

  /**
   * Runs the attempt when it is its turn, or shares the run of a waiting attempt with the same key.
   * It never shares a run that has begun, because that one may hang. Throws TooMany if too many
   * attempts are waiting.
   */
  run(group: string, lane: string, key: string, attempt: () => Promise<T>): Promise<T> {
    const name = JSON.stringify([group, lane, key]);
    const same = this.#waiting.get(name);
    if (same) return same;
    const slots = this.#groups.get(group) ?? new FairSlots({ ...this.#limits, maxWaitMs, createRefusal });
    this.#groups.set(group, slots);
    let isWaiting = true;
    const begin = () => {
      isWaiting = false;
      this.#waiting.delete(name);
      return attempt();
    };
    const result = slots.run(lane, begin).finally(() => {
      // It was refused.
      if (this.#waiting.get(name) === result) this.#waiting.delete(name);
      if (slots.isIdle && this.#groups.get(group) === slots) this.#groups.delete(group);
    });
    if (isWaiting) this.#waiting.set(name, result);
    return result;
  }
}

function createRefusal(): TooMany {
  return new TooMany('Too many sign-in attempts are waiting. Try again in a moment.', retryAfterSeconds);
}
