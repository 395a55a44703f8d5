import { TooMany } from '@portal/kit/problems';

export interface AttemptQueueLimits {
  /** Attempts of a group that run at the same time. */
  readonly maxRunning: number;
  /** Attempts of a group that wait. */
  readonly maxWaiting: number;
  readonly maxWaitingPerLane: number;
}

interface Group {
  /** Lanes with a running attempt. */
  readonly running: Set<string>;
  /** Waiting attempts by lane; the lane that waits longest is first. */
  readonly waiting: Map<string, (() => Promise<void>)[]>;
}

const retryAfterSeconds = 1;

/**
 * The AttemptQueue is the component that limits how many attempts run at the same time. The
 * attempts of a lane run one after the other. The lanes of a group take turns, so that no lane
 * delays another by more than one attempt.
 */
export class AttemptQueue {
  readonly #limits: AttemptQueueLimits;
  readonly #groups = new Map<string, Group>();

  constructor(limits: AttemptQueueLimits) {
    this.#limits = limits;
  }

  /** Runs the attempt when it is its turn. Throws TooMany if too many attempts are waiting. */
  async run<T>(groupName: string, lane: string, attempt: () => Promise<T>): Promise<T> {
    const group = this.#groups.get(groupName) ?? { running: new Set(), waiting: new Map() };
    const ofLane = group.waiting.get(lane) ?? [];
    const waiting = [...group.waiting.values()].reduce((sum, attempts) => sum + attempts.length, 0);
    if (waiting >= this.#limits.maxWaiting || ofLane.length >= this.#limits.maxWaitingPerLane)
      throw new TooMany('Too many sign-in attempts are waiting. Try again in a moment.', retryAfterSeconds);
    this.#groups.set(groupName, group);
    return new Promise((resolve, reject) => {
      group.waiting.set(lane, [...ofLane, () => attempt().then(resolve, reject)]);
      this.#start(groupName, group);
    });
  }

  #start(groupName: string, { running, waiting }: Group): void {
    for (const [lane, [attempt, ...others]] of waiting) {
      if (running.size >= this.#limits.maxRunning) return;
      if (attempt === undefined || running.has(lane)) continue;
      waiting.delete(lane);
      if (others.length > 0) waiting.set(lane, others);
      running.add(lane);
      void attempt().then(() => {
        running.delete(lane);
        this.#start(groupName, { running, waiting });
      });
    }
    if (running.size === 0) this.#groups.delete(groupName);
  }
}
