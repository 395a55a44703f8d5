import type { Problem } from '../problems.ts';

export interface FairSlotsOptions {
  /** How many pieces of work run at once, in total and per key. */
  readonly maxRunning: number;
  readonly maxRunningPerKey?: number;
  /** How many wait, in total and per key. */
  readonly maxWaiting?: number;
  readonly maxWaitingPerKey?: number;
  readonly maxWaitMs?: number;
  /**
   * Creates the error for work that is not accepted, because of the key's own work or of others'.
   */
  readonly createRefusal: (because: 'own' | 'others') => Problem;
}

interface Waiter {
  readonly start: () => void;
}

/**
 * A FairSlots limits expensive work, so that one key, such as a user, cannot slow down the others.
 * Work beyond the limits waits in a short queue, or is refused; `Slots` refuses nothing. The
 * waiting key with the least work running is served first; of several, the one whose last turn was
 * the longest ago.
 */
export class FairSlots {
  readonly #options: Required<FairSlotsOptions>;
  /** Pieces of work that run, by key. */
  readonly #running = new Map<string, number>();
  /** By key; the one whose last turn was the longest ago is first. */
  readonly #waiting = new Map<string, Waiter[]>();
  #runningCount = 0;
  #waitingCount = 0;

  constructor(options: FairSlotsOptions) {
    this.#options = {
      maxRunningPerKey: 2,
      maxWaiting: 30,
      maxWaitingPerKey: 6,
      maxWaitMs: 10_000,
      ...options,
    };
  }

  /** Whether no work runs or waits. */
  get isIdle(): boolean {
    return this.#runningCount + this.#waitingCount === 0;
  }

  /**
   * Runs the work when a slot is free. Throws the refusal if too much work waits already or no slot
   * becomes free in time, and the signal's reason if it aborts first.
   */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = this.#acquire(key, signal);
    // Work that does not have to wait begins at once.
    if (turn) await turn;
    try {
      return await work();
    } finally {
      this.#release(key);
    }
  }

  /** Takes a slot if one is free; otherwise returns when it is this work's turn. */
  #acquire(key: string, signal: AbortSignal | undefined): Promise<void> | undefined {
    signal?.throwIfAborted();
    const { maxWaiting, maxWaitingPerKey, maxWaitMs, createRefusal } = this.#options;
    if (this.#canStart(key)) {
      this.#start(key);
      return undefined;
    }
    const ofKey = this.#waiting.get(key) ?? [];
    if (ofKey.length >= maxWaitingPerKey) throw createRefusal('own');
    if (this.#waitingCount >= maxWaiting) throw createRefusal('others');
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timeout);
        signal?.removeEventListener('abort', onAbort);
        this.#removeWaiter(key, waiter);
      };
      const giveUp = (reason: unknown) => {
        leave();
        reject(reason);
      };
      const onAbort = () => giveUp(signal?.reason);
      const onTimeout = () => giveUp(createRefusal(this.#isFull(key) ? 'own' : 'others'));
      const timeout = setTimeout(onTimeout, maxWaitMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      const waiter: Waiter = {
        start: () => {
          leave();
          resolve();
        },
      };
      this.#waiting.set(key, [...ofKey, waiter]);
      this.#waitingCount += 1;
    });
  }

  #canStart(key: string): boolean {
    return this.#runningCount < this.#options.maxRunning && !this.#isFull(key);
  }

  #isFull(key: string): boolean {
    return this.#getRunning(key) >= this.#options.maxRunningPerKey;
  }

  #getRunning(key: string): number {
    return this.#running.get(key) ?? 0;
  }

  #start(key: string): void {
    this.#runningCount += 1;
    this.#running.set(key, this.#getRunning(key) + 1);
  }

  #removeWaiter(key: string, waiter: Waiter): void {
    const others = (this.#waiting.get(key) ?? []).filter((other) => other !== waiter);
    this.#waitingCount -= 1;
    if (others.length > 0) this.#waiting.set(key, others);
    else this.#waiting.delete(key);
  }

  #release(key: string): void {
    this.#runningCount -= 1;
    const remaining = this.#getRunning(key) - 1;
    if (remaining > 0) this.#running.set(key, remaining);
    else this.#running.delete(key);
    this.#startNext();
  }

  #startNext(): void {
    const [next] = [...this.#waiting.keys()]
      .filter((key) => this.#canStart(key))
      .sort((a, b) => this.#getRunning(a) - this.#getRunning(b));
    if (next === undefined) return;
    const [waiter] = this.#waiting.get(next) ?? [];
    this.#start(next);
    waiter?.start();
    const others = this.#waiting.get(next);
    if (!others) return;
    this.#waiting.delete(next);
    this.#waiting.set(next, others);
  }
}
