import type { Problem } from '@portal/kit/problems';
import type { LogRecord } from './ring/log-chunk.ts';
import { LogRing, type RingLimits } from './ring/log-ring.ts';
import type { LogCredentials, LogSource, RowsWanted } from './upstream/log-source.ts';
import { LogUpstream, type UpstreamLimits, type UpstreamState } from './upstream/log-upstream.ts';
import { PlainFrames } from './viewers/plain-frames.ts';

/** Somebody who watches. Each is authorised before it joins. */
export interface LogFollower {
  readonly credentials: LogCredentials;
  /** There is more in the ring. */
  wake(): void;
  tell(state: UpstreamState): void;
  /** The platform does not show the log to these credentials. */
  refuse(problem: Problem): void;
}

export interface StreamLimits {
  readonly ring: RingLimits;
  readonly upstream: UpstreamLimits;
  /** Lines are gathered for so long at most before they go out together. */
  readonly beatMs: number;
  /** Or until there are so many. */
  readonly beatLines: number;
  /** How long the stream goes on when nobody follows it. */
  readonly lingerMs: number;
  /** How much of the past a new stream starts with, when nobody asks for more. */
  readonly history: { readonly millis: number; readonly lines: number; readonly mostMillis: number };
}

export interface StreamOptions {
  readonly source: LogSource;
  readonly limits: StreamLimits;
  readonly words: { readonly connecting: string; readonly streaming: string };
  readonly onLines: (count: number) => void;
}

/** One app's log for all who follow it: one upstream, one ring, one serialisation. */
export class LogStream {
  readonly ring: LogRing;
  readonly plain = new PlainFrames();
  readonly #limits: StreamLimits;
  readonly #onLines: (count: number) => void;
  readonly #upstream: LogUpstream;
  readonly #followers = new Set<LogFollower>();
  #lead: LogCredentials | null = null;
  #lingering: NodeJS.Timeout | null = null;
  readonly #idleState: UpstreamState;
  #state: UpstreamState;
  #wantedMillis = Number.POSITIVE_INFINITY;
  #isCaughtUp = false;
  readonly #toCatchUp = new Set<() => void>();
  #waiting: LogRecord[] = [];
  #beat: NodeJS.Timeout | null = null;
  #beatAt = 0;
  /** When nobody followed any more, as `performance.now()`; null while somebody does. */
  idleSince: number | null = performance.now();

  constructor({ source, limits, words, onLines }: StreamOptions) {
    this.#limits = limits;
    this.#onLines = onLines;
    this.ring = new LogRing(limits.ring);
    this.#idleState = { state: 'connecting', message: words.connecting, retryMs: null };
    this.#state = this.#idleState;
    this.#upstream = new LogUpstream({
      source,
      limits: limits.upstream,
      words,
      history: () => this.#history(),
      listener: {
        onLines: (records, filled) => (filled ? this.#fill(records) : this.#take(records)),
        onGap: (gap) => {
          this.#flush();
          this.ring.appendGap(gap);
          this.#wakeAll();
        },
        onState: (state) => this.#tell(state),
        onCaughtUp: (sinceMillis) => {
          this.#flush();
          if (sinceMillis !== null) this.ring.holdsSince(sinceMillis);
          this.#isCaughtUp = true;
          for (const resolve of this.#toCatchUp) resolve();
          this.#toCatchUp.clear();
        },
        onRefused: (credentials, problem) => this.#refuse(credentials, problem),
      },
    });
  }

  get state(): UpstreamState {
    return this.#state;
  }

  get followers(): number {
    return this.#followers.size;
  }

  get isStreaming(): boolean {
    return this.#lead !== null;
  }

  /**
   * Follows until the returned function is called. `endNow`: the follower's credentials must not be
   * used any longer, not even for the while the stream lingers.
   */
  follow(follower: LogFollower): (options?: { readonly endNow: boolean }) => void {
    this.#followers.add(follower);
    this.idleSince = null;
    this.#leadOn();
    return ({ endNow } = { endNow: false }) => {
      if (!this.#followers.delete(follower)) return;
      if (this.#followers.size === 0) this.idleSince = performance.now();
      this.#leadOn({ endNow });
    };
  }

  /**
   * Asks that the first fill reaches back to an instant, within bounds; too late once it has begun.
   */
  reachBackTo(millis: number): void {
    this.#wantedMillis = Math.min(this.#wantedMillis, Math.max(millis, Date.now() - this.#limits.history.mostMillis));
  }

  /** When the ring has all that can be had of the time up to now. Throws the signal's reason. */
  caughtUp(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isCaughtUp) resolve();
      else this.#toCatchUp.add(resolve);
      signal.addEventListener('abort', () => {
        this.#toCatchUp.delete(resolve);
        reject(signal.reason);
      });
    });
  }

  /** Ends the upstream at once. */
  stop(): void {
    if (this.#lingering !== null) clearTimeout(this.#lingering);
    this.#lingering = null;
    if (this.#lead === null) return;
    this.#lead = null;
    this.#upstream.lead(null);
    this.#state = this.#idleState;
    this.#isCaughtUp = false;
    this.#flush();
  }

  #history(): RowsWanted {
    const { history, upstream } = this.#limits;
    const afterMillis = Date.now() - history.millis;
    if (this.#wantedMillis === Number.POSITIVE_INFINITY) return { afterMillis, most: history.lines };
    return { afterMillis: Math.min(afterMillis, this.#wantedMillis), most: upstream.intake.fill.lines };
  }

  /**
   * Goes on with the credentials in use as long as one of the followers has them, else with
   * another's.
   */
  #leadOn({ endNow } = { endNow: false }): void {
    const inUse = this.#lead?.key;
    const followers = [...this.#followers];
    const next = followers.find(({ credentials }) => credentials.key === inUse) ?? followers[0];
    if (next !== undefined) {
      if (this.#lingering !== null) clearTimeout(this.#lingering);
      this.#lingering = null;
      this.#lead = next.credentials;
      this.#upstream.lead(this.#lead);
    } else if (endNow) {
      this.stop();
    } else if (this.#lead !== null) {
      this.#lingering ??= setTimeout(() => this.stop(), this.#limits.lingerMs);
    }
  }

  #refuse({ key }: LogCredentials, problem: Problem): void {
    const refused = [...this.#followers].filter(({ credentials }) => credentials.key === key);
    for (const follower of refused) this.#followers.delete(follower);
    if (this.#followers.size === 0) this.idleSince = performance.now();
    this.#leadOn({ endNow: true });
    for (const follower of refused) follower.refuse(problem);
  }

  #tell(state: UpstreamState): void {
    this.#state = state;
    if (state.state !== 'streaming') this.#isCaughtUp = false;
    for (const follower of this.#followers) follower.tell(state);
  }

  #fill(records: readonly LogRecord[]): void {
    this.#flush();
    this.#onLines(records.length);
    this.ring.append(records, true);
    this.#wakeAll();
  }

  #take(records: readonly LogRecord[]): void {
    this.#onLines(records.length);
    for (const record of records) this.#waiting.push(record);
    const sinceBeatMs = performance.now() - this.#beatAt;
    if (this.#waiting.length >= this.#limits.beatLines || sinceBeatMs >= this.#limits.beatMs) this.#flush();
    else this.#beat ??= setTimeout(() => this.#flush(), this.#limits.beatMs - sinceBeatMs);
  }

  #flush(): void {
    if (this.#beat !== null) clearTimeout(this.#beat);
    this.#beat = null;
    this.#beatAt = performance.now();
    if (this.#waiting.length === 0) return;
    const records = this.#waiting;
    this.#waiting = [];
    this.ring.append(records);
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const follower of this.#followers) follower.wake();
    this.ring.settle();
  }
}
