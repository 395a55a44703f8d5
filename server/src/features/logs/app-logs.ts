import { AppLog, type AppLogOptions } from './app-log.ts';

export interface AppLogsLimits {
  /** How long the lines of an app without subscribers are kept, for returning viewers. */
  readonly idleMs: number;
  /** Maximum number of such apps; the longest idle is evicted first. */
  readonly maxIdle: number;
  /** Memory limit of all rings combined. */
  readonly bytes: number;
  /** Maximum and minimum memory of one ring. */
  readonly ringBytes: { readonly max: number; readonly min: number };
}

/** Manages the streams of all apps with subscribers, and of those recently abandoned. */
export class AppLogs {
  readonly #limits: AppLogsLimits;
  readonly #byKey = new Map<string, AppLog>();
  readonly #sweep: NodeJS.Timeout;

  constructor(limits: AppLogsLimits) {
    this.#limits = limits;
    this.#sweep = setInterval(() => this.#evictIdle(), Math.min(limits.idleMs, 10_000)).unref();
  }

  get all(): readonly AppLog[] {
    return [...this.#byKey.values()];
  }

  /** Returns the stream of an app, creating it if there is none. */
  getOrCreate(environment: string, appId: string, make: () => AppLogOptions): AppLog {
    const key = JSON.stringify([environment, appId]);
    const found = this.#byKey.get(key);
    if (found !== undefined) return found;
    this.#evictIdle();
    const stream = new AppLog(make());
    this.#byKey.set(key, stream);
    return stream;
  }

  /** Returns the current memory limit of one ring: its share of the total. */
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
