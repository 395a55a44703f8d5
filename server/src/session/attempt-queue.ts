import { TooMany } from '@portal/kit/problems';

export interface AttemptQueueLimits {
  /** Attempts of a group, and of one of its lanes, that run at the same time. */
  readonly maxRunning: number;
  readonly maxRunningPerLane: number;
  /** Attempts of a group, and of one of its lanes, that wait. */
  readonly maxWaiting: number;
  readonly maxWaitingPerLane: number;
}

interface Attempt<T> {
  readonly key: string;
  readonly begin: () => void;
  readonly result: Promise<T>;
}

interface Group<T> {
  /** The lane of each running attempt. */
  readonly running: string[];
  /** Waiting attempts by lane; the lane whose last turn was the longest ago is first. */
  readonly waiting: Map<string, readonly Attempt<T>[]>;
}

const retryAfterSeconds = 1;

/**
 * The AttemptQueue is the component that limits how many attempts run at the same time. The lanes
 * of a group take turns, so that many attempts in one lane do not delay the others.
 */
export class AttemptQueue<T> {
  readonly #limits: AttemptQueueLimits;
  readonly #groups = new Map<string, Group<T>>();

  constructor(limits: AttemptQueueLimits) {
    this.#limits = limits;
  }

  /**
   * Runs the attempt when it is its turn, or shares the run of a waiting attempt with the same key.
   * It never shares a run that has begun, because that one may hang. Throws TooMany if too many
   * attempts are waiting.
   */
  async run(groupName: string, lane: string, key: string, attempt: () => Promise<T>): Promise<T> {
    const group: Group<T> = this.#groups.get(groupName) ?? { running: [], waiting: new Map() };
    const ofLane = group.waiting.get(lane) ?? [];
    const same = ofLane.find((other) => other.key === key);
    if (same) return same.result;
    const waiting = [...group.waiting.values()].reduce((sum, attempts) => sum + attempts.length, 0);
    if (waiting >= this.#limits.maxWaiting || ofLane.length >= this.#limits.maxWaitingPerLane)
      throw new TooMany('Too many sign-in attempts are waiting. Try again in a moment.', retryAfterSeconds);
    let begin: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const result = turn.then(attempt);
    group.waiting.set(lane, [...ofLane, { key, begin, result }]);
    this.#groups.set(groupName, group);
    this.#beginNext(groupName, group);
    return result;
  }

  #beginNext(groupName: string, group: Group<T>): void {
    const { running, waiting } = group;
    for (const [lane, [next, ...others]] of waiting) {
      if (running.length >= this.#limits.maxRunning) return;
      const runningInLane = running.filter((other) => other === lane).length;
      if (next === undefined || runningInLane >= this.#limits.maxRunningPerLane) continue;
      waiting.delete(lane);
      if (others.length > 0) waiting.set(lane, others);
      running.push(lane);
      next.begin();
      const end = () => {
        running.splice(running.indexOf(lane), 1);
        this.#beginNext(groupName, group);
      };
      next.result.then(end, end);
    }
    if (running.length === 0) this.#groups.delete(groupName);
  }
}
