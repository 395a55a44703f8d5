import { Busy } from '@portal/kit/problems';

/** The user that work is done for. */
export interface SlotUser {
  readonly username: string;
  readonly environment: { readonly name: string };
}

export interface FairSlotsOptions {
  /** How many pieces of work run at once, in total and per user. */
  readonly maxRunning: number;
  readonly maxRunningPerUser?: number;
  /** How many wait, in total and per user. */
  readonly maxWaiting?: number;
  readonly maxWaitingPerUser?: number;
  readonly maxWaitMs?: number;
}

interface Waiter {
  readonly user: string;
  start(): void;
}

const retryAfterSeconds = 5;

/**
 * The FairSlots is the component that limits expensive work, so that one user cannot slow down the
 * others. Work beyond the limits waits in a short queue. The waiting user with the least work
 * running is served first.
 */
export class FairSlots {
  readonly #options: Required<FairSlotsOptions>;
  /** Pieces of work that run, by user. */
  readonly #running = new Map<string, number>();
  readonly #waiting: Waiter[] = [];
  #runningCount = 0;

  constructor(options: FairSlotsOptions) {
    this.#options = { maxRunningPerUser: 2, maxWaiting: 30, maxWaitingPerUser: 6, maxWaitMs: 10_000, ...options };
  }

  /**
   * Runs the work when a slot is free. Throws Busy if too much work waits already or no slot becomes
   * free in time, and the signal's reason if it aborts first.
   */
  async run<T>(user: SlotUser, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const key = JSON.stringify([user.environment.name, user.username]);
    await this.#acquire(key, signal);
    try {
      return await work();
    } finally {
      this.#release(key);
    }
  }

  #acquire(user: string, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const { maxWaiting, maxWaitingPerUser, maxWaitMs } = this.#options;
    if (this.#canStart(user)) {
      this.#start(user);
      return Promise.resolve();
    }
    if (this.#waiting.filter((waiter) => waiter.user === user).length >= maxWaitingPerUser)
      throw new Busy('You have too many large requests open. Wait until one of them is complete.', retryAfterSeconds);
    if (this.#waiting.length >= maxWaiting) throw createBusy();
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timeout);
        signal?.removeEventListener('abort', onAbort);
      };
      const giveUp = (reason: unknown) => {
        leave();
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(reason);
      };
      const onAbort = () => giveUp(signal?.reason);
      const timeout = setTimeout(() => giveUp(createBusy()), maxWaitMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      const waiter: Waiter = {
        user,
        start: () => {
          leave();
          resolve();
        },
      };
      this.#waiting.push(waiter);
    });
  }

  #canStart(user: string): boolean {
    return this.#runningCount < this.#options.maxRunning && this.#getRunning(user) < this.#options.maxRunningPerUser;
  }

  #getRunning(user: string): number {
    return this.#running.get(user) ?? 0;
  }

  #start(user: string): void {
    this.#runningCount += 1;
    this.#running.set(user, this.#getRunning(user) + 1);
  }

  #release(user: string): void {
    this.#runningCount -= 1;
    const remaining = this.#getRunning(user) - 1;
    if (remaining > 0) this.#running.set(user, remaining);
    else this.#running.delete(user);
    const next = this.#findNext();
    if (!next) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#start(next.user);
    next.start();
  }

  #findNext(): Waiter | undefined {
    return this.#waiting
      .filter(({ user }) => this.#canStart(user))
      .reduce<Waiter | undefined>(
        (best, waiter) => (best && this.#getRunning(best.user) <= this.#getRunning(waiter.user) ? best : waiter),
        undefined,
      );
  }
}

function createBusy(): Busy {
  return new Busy(
    'The portal is busy with searches and other large requests. Try again in a few seconds.',
    retryAfterSeconds,
  );
}
