import type { Problem } from '@portal/kit/problems';
import { LogRing, type RingLimits } from './ring/log-ring.ts';
import type { ReceivedLine } from './ring/ring-chunk.ts';
import type { LogCredentials, LogSource, RowsRequest } from './upstream/log-source.ts';
import {
  LogUpstream,
  type UpstreamLimits,
  type UpstreamMessages,
  type UpstreamState,
} from './upstream/log-upstream.ts';
import { PlainFrames } from './viewers/plain-frames.ts';

/**
 * Receives a log stream. It is authorized before it
 * subscribes.
 */
export interface LogSubscriber {
  readonly credentials: LogCredentials;
  /** Called when the ring has new lines. */
  wake(): void;
  notify(state: UpstreamState): void;
  /** Called when the platform refuses these credentials. */
  refuse(problem: Problem): void;
}

export interface AppLogLimits {
  readonly ring: RingLimits;
  readonly upstream: UpstreamLimits;
  /** Maximum time that lines are batched before they are sent. */
  readonly flushMs: number;
  /** Maximum number of lines in a batch. */
  readonly flushLines: number;
  /** How long the stream stays open without subscribers. */
  readonly lingerMs: number;
  /** How much history a new stream loads by default. */
  readonly history: { readonly millis: number; readonly lines: number; readonly maxMillis: number };
}

export interface AppLogOptions {
  readonly source: LogSource;
  readonly limits: AppLogLimits;
  readonly messages: UpstreamMessages;
  readonly onLines: (count: number) => void;
}

/** Shares one app's log among its subscribers: one upstream, one ring, one serialization. */
export class AppLog {
  readonly ring: LogRing;
  readonly plain = new PlainFrames();
  readonly #limits: AppLogLimits;
  readonly #onLines: (count: number) => void;
  readonly #upstream: LogUpstream;
  readonly #subscribers = new Set<LogSubscriber>();
  #lead: LogCredentials | null = null;
  #lingerTimer: NodeJS.Timeout | null = null;
  readonly #idleState: UpstreamState;
  #state: UpstreamState;
  #requestedMillis = Number.POSITIVE_INFINITY;
  #isCaughtUp = false;
  readonly #catchUpWaiters = new Set<() => void>();
  #waiting: ReceivedLine[] = [];
  #flushTimer: NodeJS.Timeout | null = null;
  #flushedAt = 0;
  /** When the last subscriber left, as `performance.now()`; null while there are subscribers. */
  idleSince: number | null = performance.now();

  constructor({ source, limits, messages, onLines }: AppLogOptions) {
    this.#limits = limits;
    this.#onLines = onLines;
    this.ring = new LogRing(limits.ring);
    this.#idleState = { state: 'connecting', message: messages.connecting, retryMs: null };
    this.#state = this.#idleState;
    this.#upstream = new LogUpstream({
      source,
      limits: limits.upstream,
      messages,
      history: () => this.#history(),
      listener: {
        onLines: (records, filled) => (filled ? this.#fill(records) : this.#push(records)),
        onGap: (gap) => {
          this.#flush();
          this.ring.appendGap(gap);
          this.#wakeAll();
        },
        onState: (state) => this.#notifyAll(state),
        onCaughtUp: (sinceMillis) => {
          this.#flush();
          if (sinceMillis !== null) this.ring.markCompleteSince(sinceMillis);
          this.#isCaughtUp = true;
          for (const resolve of this.#catchUpWaiters) resolve();
          this.#catchUpWaiters.clear();
        },
        onRefused: (credentials, problem) => this.#refuse(credentials, problem),
      },
    });
  }

  get state(): UpstreamState {
    return this.#state;
  }

  get subscribers(): number {
    return this.#subscribers.size;
  }

  get isStreaming(): boolean {
    return this.#lead !== null;
  }

  /**
   * Subscribes until the returned function is called. With `endNow`, the subscriber's credentials
   * must not be used any longer, not even while the stream lingers.
   */
  subscribe(subscriber: LogSubscriber): (options?: { readonly endNow: boolean }) => void {
    this.#subscribers.add(subscriber);
    this.idleSince = null;
    this.#updateLead();
    return ({ endNow } = { endNow: false }) => {
      if (!this.#subscribers.delete(subscriber)) return;
      if (this.#subscribers.size === 0) this.idleSince = performance.now();
      this.#updateLead({ endNow });
    };
  }

  /**
   * Requests that the first fill reaches back to an instant, within limits. Has no effect once the
   * fill has started.
   */
  requestHistorySince(millis: number): void {
    this.#requestedMillis = Math.min(
      this.#requestedMillis,
      Math.max(millis, Date.now() - this.#limits.history.maxMillis),
    );
  }

  /** Resolves when the ring contains everything available up to now. Throws the signal's reason. */
  whenCaughtUp(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isCaughtUp) resolve();
      else this.#catchUpWaiters.add(resolve);
      signal.addEventListener('abort', () => {
        this.#catchUpWaiters.delete(resolve);
        reject(signal.reason);
      });
    });
  }

  /** Closes the upstream immediately. */
  stop(): void {
    if (this.#lingerTimer !== null) clearTimeout(this.#lingerTimer);
    this.#lingerTimer = null;
    if (this.#lead === null) return;
    this.#lead = null;
    this.#upstream.lead(null);
    this.#state = this.#idleState;
    this.#isCaughtUp = false;
    this.#flush();
  }

  #history(): RowsRequest {
    const { history, upstream } = this.#limits;
    const afterMillis = Date.now() - history.millis;
    if (this.#requestedMillis === Number.POSITIVE_INFINITY) return { afterMillis, maxRows: history.lines };
    return { afterMillis: Math.min(afterMillis, this.#requestedMillis), maxRows: upstream.intake.fill.lines };
  }

  /**
   * Keeps using the current credentials while one of their subscribers remains, otherwise switches
   * to another subscriber's.
   */
  #updateLead({ endNow } = { endNow: false }): void {
    const inUse = this.#lead?.key;
    const subscribers = [...this.#subscribers];
    const next = subscribers.find(({ credentials }) => credentials.key === inUse) ?? subscribers[0];
    if (next !== undefined) {
      if (this.#lingerTimer !== null) clearTimeout(this.#lingerTimer);
      this.#lingerTimer = null;
      this.#lead = next.credentials;
      this.#upstream.lead(this.#lead);
    } else if (endNow) {
      this.stop();
    } else if (this.#lead !== null) {
      this.#lingerTimer ??= setTimeout(() => this.stop(), this.#limits.lingerMs);
    }
  }

  #refuse({ key }: LogCredentials, problem: Problem): void {
    const refused = [...this.#subscribers].filter(({ credentials }) => credentials.key === key);
    for (const subscriber of refused) this.#subscribers.delete(subscriber);
    if (this.#subscribers.size === 0) this.idleSince = performance.now();
    this.#updateLead({ endNow: true });
    for (const subscriber of refused) subscriber.refuse(problem);
  }

  #notifyAll(state: UpstreamState): void {
    this.#state = state;
    if (state.state !== 'streaming') this.#isCaughtUp = false;
    for (const subscriber of this.#subscribers) subscriber.notify(state);
  }

  #fill(records: readonly ReceivedLine[]): void {
    this.#flush();
    this.#onLines(records.length);
    this.ring.append(records, true);
    this.#wakeAll();
  }

  #push(records: readonly ReceivedLine[]): void {
    this.#onLines(records.length);
    for (const record of records) this.#waiting.push(record);
    const sinceFlushMs = performance.now() - this.#flushedAt;
    if (this.#waiting.length >= this.#limits.flushLines || sinceFlushMs >= this.#limits.flushMs) this.#flush();
    else this.#flushTimer ??= setTimeout(() => this.#flush(), this.#limits.flushMs - sinceFlushMs);
  }

  #flush(): void {
    if (this.#flushTimer !== null) clearTimeout(this.#flushTimer);
    this.#flushTimer = null;
    this.#flushedAt = performance.now();
    if (this.#waiting.length === 0) return;
    const records = this.#waiting;
    this.#waiting = [];
    this.ring.append(records);
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const subscriber of this.#subscribers) subscriber.wake();
    this.ring.releaseLines();
  }
}
