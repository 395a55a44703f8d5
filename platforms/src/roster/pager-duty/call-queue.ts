import { NoAnswer, RetryLater } from '../fetch-external.ts';

/** The more urgent, the smaller. */
export const urgency = { nearShifts: 0, names: 1, numbers: 2, farShifts: 3 } as const;
type Urgency = (typeof urgency)[keyof typeof urgency];

export interface CallQueueOptions {
  /** The maximum number of calls in `windowMs`. Default: 200. */
  readonly maxCalls?: number;
  /** How many of them may be for shifts far away, which can wait. Default: half. */
  readonly maxFarCalls?: number;
  /** Default: five minutes. */
  readonly windowMs?: number;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

export interface CallOrder {
  readonly urgency: Urgency;
  /** Of calls that are equally urgent, the smallest comes first. */
  readonly rank: number;
}

interface WaitingCall extends CallOrder {
  readonly run: () => Promise<void>;
  readonly refuse: (problem: Error) => void;
}

/** How long no call is made after several had no answer. */
const noAnswerPauseMs = 15_000;
const maxNoAnswers = 2;

/**
 * Makes the calls with one token of PagerDuty, whose limits are per token: one at a time, the most
 * urgent first, and a limited number in five minutes. A call that has no place in the limit is
 * refused, not delayed. When PagerDuty asks to wait, or does not answer, all calls are refused
 * until then.
 */
export class CallQueue {
  readonly #maxCalls: number;
  readonly #maxFarCalls: number;
  readonly #windowMs: number;
  readonly #now: () => number;
  readonly #waiting: WaitingCall[] = [];
  #recent: { readonly atMs: number; readonly isFar: boolean }[] = [];
  #isRunning = false;
  #pause: { readonly problem: Error; readonly untilMs: number } | undefined;
  #noAnswers = 0;

  constructor({
    maxCalls = 200,
    maxFarCalls = maxCalls / 2,
    windowMs = 300_000,
    now = Date.now,
  }: CallQueueOptions = {}) {
    this.#maxCalls = maxCalls;
    this.#maxFarCalls = maxFarCalls;
    this.#windowMs = windowMs;
    this.#now = now;
  }

  /** Rejects with RetryLater if the call was not made, else as the call does. */
  add<Result>(order: CallOrder, call: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const run = async () => {
        try {
          const result = await call();
          this.#noAnswers = 0;
          resolve(result);
        } catch (error) {
          this.#notice(error);
          reject(error);
        }
      };
      this.#waiting.push({ ...order, run, refuse: reject });
      if (!this.#isRunning) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    // All calls of this turn are added before the most urgent one is chosen.
    await Promise.resolve();
    for (let next = this.#takeNext(); next; next = this.#takeNext()) {
      const refusal = this.#findRefusal(next.urgency);
      if (refusal) {
        next.refuse(refusal);
        continue;
      }
      this.#recent.push({ atMs: this.#now(), isFar: next.urgency === urgency.farShifts });
      await next.run();
    }
    this.#isRunning = false;
  }

  #takeNext(): WaitingCall | undefined {
    const [first, ...others] = this.#waiting;
    if (!first) return undefined;
    let next = first;
    for (const other of others)
      if (other.urgency < next.urgency || (other.urgency === next.urgency && other.rank < next.rank)) next = other;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    return next;
  }

  #findRefusal(of: Urgency): Error | undefined {
    const now = this.#now();
    if (this.#pause && now < this.#pause.untilMs) return this.#pause.problem;
    this.#recent = this.#recent.filter(({ atMs }) => now - atMs < this.#windowMs);
    const isFar = of === urgency.farShifts;
    const counted = isFar ? this.#recent.filter((one) => one.isFar) : this.#recent;
    const isAllowed = this.#recent.length < this.#maxCalls && (!isFar || counted.length < this.#maxFarCalls);
    if (isAllowed) return undefined;
    return new RetryLater(
      `The portal makes at most ${this.#maxCalls} calls to PagerDuty in ${this.#windowMs / 60_000} minutes, and makes the others later.`,
      new Date((counted[0]?.atMs ?? now) + this.#windowMs),
    );
  }

  /** The reason of a pause does not name the schedule that was read: it concerns all of them. */
  #notice(error: unknown): void {
    this.#noAnswers = error instanceof NoAnswer ? this.#noAnswers + 1 : 0;
    if (error instanceof RetryLater) {
      const problem = new RetryLater('PagerDuty asked the portal to wait.', error.until);
      this.#pause = { problem, untilMs: error.until.getTime() };
    }
    if (this.#noAnswers >= maxNoAnswers) {
      const problem = new NoAnswer('PagerDuty does not respond.', { cause: error });
      this.#pause = { problem, untilMs: this.#now() + noAnswerPauseMs };
    }
  }
}
