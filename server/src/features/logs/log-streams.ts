import { LogStream, type StreamOptions } from './log-stream.ts';

export interface StreamsLimits {
  /** How long the lines of an app nobody follows are kept, for who comes back. */
  readonly idleMs: number;
  /** How many such apps at most; the longest idle goes first. */
  readonly maxIdle: number;
  /** Bytes of lines in all rings together. */
  readonly bytes: number;
  /** Bytes of lines in one ring at most, and what each gets at least. */
  readonly ringBytes: { readonly max: number; readonly min: number };
}

/** The streams of all apps somebody follows, or followed a moment ago. */
export class LogStreams {
  readonly #limits: StreamsLimits;
  readonly #byKey = new Map<string, LogStream>();
  readonly #sweep: NodeJS.Timeout;

  constructor(limits: StreamsLimits) {
    this.#limits = limits;
    this.#sweep = setInterval(() => this.#evictIdle(), Math.min(limits.idleMs, 10_000)).unref();
  }

  get all(): readonly LogStream[] {
    return [...this.#byKey.values()];
  }

  /** The stream of an app in an environment; made when there is none. */
  getOrCreate(environment: string, appId: string, make: () => StreamOptions): LogStream {
    const key = JSON.stringify([environment, appId]);
    const found = this.#byKey.get(key);
    if (found !== undefined) return found;
    this.#evictIdle();
    const stream = new LogStream(make());
    this.#byKey.set(key, stream);
    return stream;
  }

  /** What one ring may hold now: its share of what all may hold. */
  readonly ringBytes = (): number => {
    const { bytes, ringBytes } = this.#limits;
    return Math.max(ringBytes.min, Math.min(ringBytes.max, Math.floor(bytes / Math.max(1, this.#byKey.size))));
  };

  stop(): void {
    clearInterval(this.#sweep);
    for (const stream of this.#byKey.values()) stream.stop();
    this.#byKey.clear();
  }

  #evictIdle(): void {
    const now = performance.now();
    const idle = [...this.#byKey]
      .flatMap(([key, stream]) => (stream.idleSince === null ? [] : [{ key, stream, idleSince: stream.idleSince }]))
      .sort((one, other) => other.idleSince - one.idleSince);
    for (const [index, { key, stream, idleSince }] of idle.entries()) {
      if (index < this.#limits.maxIdle && now - idleSince < this.#limits.idleMs) continue;
      stream.stop();
      this.#byKey.delete(key);
    }
  }
}
