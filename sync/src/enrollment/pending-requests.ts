import type { WaitingSubject } from './enrollment-status.store.ts';

/** A request that Journey rejected, or that has to wait. */
interface Rejection {
  readonly attempts: number;
  readonly retryAtMs: number;
  readonly reason: string;
}

const firstRetryMs = 1_000;
/** After this many attempts, or with this many rejections, a request waits for the interval. */
const maxQuickAttempts = 6;
const maxQuickRetries = 100;
/** After this many different requests fail the same way in a row, the deployment is the cause. */
const maxStreak = 3;

/**
 * Remembers between the rounds of an integration whether Helium has made new requests, and when to
 * retry those that were rejected. A request may be rejected because its user is not in Journey yet,
 * so it is soon retried. The requests themselves are flags in the app's rows.
 */
export class PendingRequests {
  readonly #intervalMs: number;
  readonly #now: () => number;
  readonly #rejections = new Map<string, Rejection>();
  #hasNew = false;
  /** Requests that failed in a row, all with the same kind of failure. */
  readonly #streak = new Set<string>();
  #streakKind = '';

  /** @param intervalMs between two rounds */
  constructor(intervalMs: number, now: () => number = Date.now) {
    this.#intervalMs = intervalMs;
    this.#now = now;
  }

  /** Whether requests may have been made, or failed, since the last `start`. */
  get hasNew(): boolean {
    return this.#hasNew;
  }

  /** When the next rejected request is due, in milliseconds since 1970; Infinity without one. */
  get retryAtMs(): number {
    return Math.min(...[...this.#rejections.values()].map(({ retryAtMs }) => retryAtMs));
  }

  addNew(): void {
    this.#hasNew = true;
  }

  /** Call before the flags are read. Returns the time for `finish`. */
  start(): number {
    this.#hasNew = false;
    return this.#now();
  }

  /**
   * Call after all requests were attempted: a rejected one that was due and is not any more was
   * withdrawn.
   */
  finish(startedAtMs: number): void {
    for (const [name, { retryAtMs }] of this.#rejections) if (retryAtMs <= startedAtMs) this.#rejections.delete(name);
  }

  isDue(name: string): boolean {
    return (this.#rejections.get(name)?.retryAtMs ?? 0) <= this.#now();
  }

  /** Returns whether the reason has changed since last time. */
  reject(name: string, reason: string): boolean {
    const before = this.#rejections.get(name);
    const attempts = (before?.attempts ?? 0) + 1;
    const isQuick = attempts <= maxQuickAttempts && this.#rejections.size < maxQuickRetries;
    const delayMs = isQuick ? firstRetryMs * 2 ** (attempts - 1) : this.#intervalMs;
    this.#rejections.set(name, { attempts, retryAtMs: this.#now() + delayMs, reason });
    return before?.reason !== reason;
  }

  /** Makes requests due that were rejected; an empty list means all of them. */
  retryNow(names: readonly string[]): void {
    for (const [name, rejection] of this.#rejections)
      if (names.length === 0 || names.includes(name)) this.#rejections.set(name, { ...rejection, retryAtMs: 0 });
  }

  /** Retries a request soon: it could not be attempted, or its result not be written. */
  postpone(name: string): void {
    this.#rejections.set(name, { attempts: 0, retryAtMs: this.#now() + firstRetryMs, reason: '' });
  }

  succeed(name: string): void {
    this.#rejections.delete(name);
    this.endStreak();
  }

  /**
   * Returns whether several requests in a row have failed like this one, and starts to count again.
   */
  isStreak(name: string, kind: string): boolean {
    if (kind !== this.#streakKind) this.endStreak();
    this.#streakKind = kind;
    this.#streak.add(name);
    if (this.#streak.size < maxStreak) return false;
    this.endStreak();
    return true;
  }

  endStreak(): void {
    this.#streak.clear();
  }

  /** Returns the requests that wait for their next attempt, for operators. */
  listWaiting(): WaitingSubject[] {
    return [...this.#rejections].map(([subject, { attempts, retryAtMs, reason }]) => ({
      subject,
      reason: reason || 'Its row is locked by another session, or Journey does not have it yet.',
      attempts,
      nextAttempt: new Date(retryAtMs).toISOString(),
    }));
  }

  /** Returns the requests with the fewest attempts first, so that failing ones delay no others. */
  sortByAttempts<Request>(requests: readonly Request[], toName: (request: Request) => string): Request[] {
    const count = (request: Request) => this.#rejections.get(toName(request))?.attempts ?? 0;
    return requests.toSorted((one, other) => count(one) - count(other));
  }
}
