import type { BatchFrame, PlatformState } from '@portal/contract/logs';
import { type Backoff, backoffMs } from '@portal/kit/backoff';
import { Problem } from '@portal/kit/problems';
import { type IntakeLimits, type IntakeListener, LogIntake } from './log-intake.ts';
import { isRefusal, type LogCredentials, type LogSource, type RowsRequest } from './log-source.ts';
import { pause } from './pause.ts';

export type UpstreamState = Omit<Extract<BatchFrame, { type: 'state' }>, 'type'>;

interface UpstreamListener extends Omit<IntakeListener, 'onSettled'> {
  onState(state: UpstreamState): void;
  /** Called when the platform refuses these credentials; they must not be used again. */
  onRefused(credentials: LogCredentials, problem: Problem): void;
}

export interface UpstreamLimits {
  readonly backoff: Backoff;
  /**
   * A stream that was open this long counts as stable: the next failure starts with the shortest
   * delay.
   */
  readonly steadyMs: number;
  readonly intake: IntakeLimits;
}

export interface UpstreamOptions {
  readonly source: LogSource;
  readonly listener: UpstreamListener;
  readonly limits: UpstreamLimits;
  /** Returns the rows that a new stream starts with. */
  readonly history: () => RowsRequest;
  readonly messages: UpstreamMessages;
}

/** The status texts of an open stream and of one that is being opened. */
export type UpstreamMessages = Readonly<Record<Exclude<PlatformState, 'waiting'>, string>>;

/** One stream of the platform, from the connection attempt until it has ended. */
interface Connection {
  readonly credentials: LogCredentials;
  readonly abort: AbortController;
  /** As `performance.now()`. */
  openedAt: number | null;
  hasEnded: boolean;
}

/**
 * Keeps an app's stream open: it connects, fills the gap, streams, and retries with backoff. When
 * the lead changes, it reconnects with the new credentials.
 */
export class LogUpstream {
  readonly #options: UpstreamOptions;
  readonly #intake: LogIntake;
  #lead: LogCredentials | null = null;
  /** Stops the loop that keeps the stream open; null while none runs. */
  #running: AbortController | null = null;
  #connection: Connection | null = null;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    const { listener, limits, messages } = options;
    const onSettled = (found: string) =>
      listener.onState({ state: 'streaming', message: `${messages.streaming}${found}`, retryMs: null });
    this.#intake = new LogIntake({ ...options, listener: { ...listener, onSettled }, limits: limits.intake });
  }

  /** Sets the credentials for the stream; null closes it. */
  lead(credentials: LogCredentials | null): void {
    this.#lead = credentials;
    if (credentials === null) this.#stop();
    else if (this.#running === null) void this.#run();
    else this.#closeIfNotLed();
  }

  async #run(): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    const { signal } = running;
    for (let attempt = 0; this.#lead !== null; ) {
      const connection = this.#connect(this.#lead);
      const problem = await this.#stream(connection);
      if (signal.aborted) return;
      if (isRefusal(problem)) {
        this.#lead = null;
        this.#options.listener.onRefused(connection.credentials, problem);
      } else if (!connection.abort.signal.aborted) {
        if (this.#wasSteady(connection)) attempt = 0;
        await this.#waitToRetry(problem, attempt, signal);
        attempt += 1;
      }
      if (signal.aborted) return;
    }
    this.#running = null;
  }

  #stop(): void {
    this.#running?.abort();
    this.#running = null;
    this.#connection?.abort.abort();
    this.#connection = null;
    this.#intake.stop();
  }

  #connect(credentials: LogCredentials): Connection {
    const { listener, messages } = this.#options;
    listener.onState({ state: 'connecting', message: messages.connecting, retryMs: null });
    this.#connection = { credentials, abort: new AbortController(), openedAt: null, hasEnded: false };
    return this.#connection;
  }

  /**
   * Streams until the stream has ended and its gap is filled. Returns the error; null if it ended
   * normally or was closed.
   */
  async #stream(connection: Connection): Promise<unknown> {
    const { credentials, abort } = connection;
    let filling: Promise<void> | null = null;
    let problem: unknown = null;
    const onOpen = () => {
      if (!abort.signal.aborted) filling = this.#fillHole(connection);
    };
    try {
      for await (const records of this.#options.source.stream({ credentials, signal: abort.signal, onOpen })) {
        if (abort.signal.aborted) break;
        this.#intake.push(records);
      }
    } catch (error) {
      if (!abort.signal.aborted) problem = error;
    }
    connection.hasEnded = true;
    // Not after `stop`, because the intake may belong to another connection by then.
    if (connection === this.#connection) this.#intake.interrupt();
    await filling;
    return problem;
  }

  async #fillHole(connection: Connection): Promise<void> {
    const { listener, messages } = this.#options;
    connection.openedAt = performance.now();
    listener.onState({ state: 'reading', message: messages.reading, retryMs: null });
    const found = await this.#intake.catchUp();
    if (found === null || connection.hasEnded) return;
    listener.onState({ state: 'streaming', message: `${messages.streaming}${found}`, retryMs: null });
    this.#closeIfNotLed();
  }

  /** Lines sent while no stream is open are recovered like any other gap. */
  #closeIfNotLed(): void {
    const connection = this.#connection;
    if (connection?.credentials.key !== this.#lead?.key && !this.#intake.isCatchingUp) connection?.abort.abort();
  }

  #wasSteady({ openedAt }: Connection): boolean {
    return openedAt !== null && performance.now() - openedAt > this.#options.limits.steadyMs;
  }

  /** Returns early when stopped. */
  async #waitToRetry(problem: unknown, attempt: number, signal: AbortSignal): Promise<void> {
    const { listener, limits } = this.#options;
    const retryMs = backoffMs(attempt, limits.backoff);
    const reason = problem instanceof Problem ? problem.message : 'The platform closed the log stream.';
    const message = `${reason} Retrying in ${Math.ceil(retryMs / 1000)} s.`;
    listener.onState({ state: 'waiting', message, retryMs });
    await pause(retryMs, signal).catch(() => undefined);
  }
}
