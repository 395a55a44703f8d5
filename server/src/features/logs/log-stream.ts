import type { Problem } from '@portal/kit/problems';
import type { LogRecord } from './ring/log-chunk.ts';
import { LogRing, type RingLimits } from './ring/log-ring.ts';
import type { LogCredentials, LogSource, RowsRequest } from './upstream/log-source.ts';
import { LogUpstream, type UpstreamLimits, type UpstreamState } from './upstream/log-upstream.ts';
import { PlainFrames } from './viewers/plain-frames.ts';

/** Somebody who watches. Each is authorised before it joins. */
export interface LogSubscriber {
  readonly credentials: LogCredentials;
  /** There is more in the ring. */
  wake(): void;
  notify(state: UpstreamState): void;
  /** The platform does not show the log to these credentials. */
  refuse(problem: Problem): void;
}

export interface StreamLimits {
  readonly ring: RingLimits;
  readonly upstream: UpstreamLimits;
  /** Lines are gathered for so long at most before they go out together. */
  readonly flushMs: number;
  /** Or until there are so many. */
  readonly flushLines: number;
  /** How long the stream goes on when nobody follows it. */
  readonly lingerMs: number;
  /** How much of the past a new stream starts with, when nobody asks for more. */
  readonly history: { readonly millis: number; readonly lines: number; readonly maxMillis: number };
}

export interface StreamOptions {
  readonly source: LogSource;
  readonly limits: StreamLimits;
  readonly messages: { readonly connecting: string; readonly streaming: string };
  readonly onLines: (count: number) => void;
}

/** One app's log for all who follow it: one upstream, one ring, one serialisation. */
export class LogStream {
  readonly ring: LogRing;
  readonly plain = new PlainFrames();
  readonly #limits: StreamLimits;
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
  #waiting: LogRecord[] = [];
  #flushTimer: NodeJS.Timeout | null = null;
  #flushedAt = 0;
  /** When nobody followed any more, as `performance.now()`; null while somebody does. */
  idleSince: number | null = performance.now();

  constructor({ source, limits, messages, onLines }: StreamOptions) {
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
   * Follows until the returned function is called. `endNow`: the follower's credentials must not be
   * used any longer, not even for the while the stream lingers.
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
   * Asks that the first fill reaches back to an instant, within bounds; too late once it has begun.
   */
  requestHistorySince(millis: number): void {
    this.#requestedMillis = Math.min(
      this.#requestedMillis,
      Math.max(millis, Date.now() - this.#limits.history.maxMillis),
    );
  }

  /** When the ring has all that can be had of the time up to now. Throws the signal's reason. */
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

  /** Ends the upstream at once. */
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
   * Goes on with the credentials in use as long as one of the followers has them, else with
   * another's.
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

  #fill(records: readonly LogRecord[]): void {
    this.#flush();
    this.#onLines(records.length);
    this.ring.append(records, true);
    this.#wakeAll();
  }

  #push(records: readonly LogRecord[]): void {
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
