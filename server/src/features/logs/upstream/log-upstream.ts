import type { BatchFrame } from '@portal/contract/logs';
import { type Backoff, backoffMs } from '@portal/kit/backoff';
import { Problem } from '@portal/kit/problems';
import { type IntakeLimits, type IntakeListener, LogIntake } from './log-intake.ts';
import { isRefusal, type LogCredentials, type LogSource, type RowsRequest } from './log-source.ts';
import { pause } from './pause.ts';

export type UpstreamState = Omit<Extract<BatchFrame, { type: 'state' }>, 'type'>;

interface UpstreamListener extends IntakeListener {
  onState(state: UpstreamState): void;
  /** The platform does not let these credentials see this app's log: they must lead no more. */
  onRefused(credentials: LogCredentials, problem: Problem): void;
}

export interface UpstreamLimits {
  readonly backoff: Backoff;
  /**
   * A stream that was open this long counts as good: the next failure starts with the shortest
   * wait.
   */
  readonly steadyMs: number;
  readonly intake: IntakeLimits;
}

export interface UpstreamOptions {
  readonly source: LogSource;
  readonly listener: UpstreamListener;
  readonly limits: UpstreamLimits;
  /** What a new stream starts with. */
  readonly history: () => RowsRequest;
  readonly messages: { readonly connecting: string; readonly streaming: string };
}

/** One stream of the platform, from the attempt to open it until it has ended. */
interface Connection {
  readonly credentials: LogCredentials;
  readonly abort: AbortController;
  /** As `performance.now()`. */
  openedAt: number | null;
  hasEnded: boolean;
}

/**
 * Keeps the one stream of an app open while a viewer leads: connects, fills the hole before it,
 * streams, and retries with backoff. When another viewer leads, the stream is closed and opened
 * again with the credentials of that viewer.
 */
export class LogUpstream {
  readonly #options: UpstreamOptions;
  readonly #intake: LogIntake;
  #lead: LogCredentials | null = null;
  /** Ends the loop that keeps the stream open; null while none runs. */
  #running: AbortController | null = null;
  #connection: Connection | null = null;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#intake = new LogIntake({ ...options, limits: options.limits.intake });
  }

  /** Whose credentials the stream goes on with; null ends it. */
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
   * Streams until the stream has ended and its hole is filled. Returns why it ended; null when in
   * order, or closed.
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
    // Not after `stop`: the intake may be another connection's then.
    if (connection === this.#connection) this.#intake.interrupt();
    await filling;
    return problem;
  }

  async #fillHole(connection: Connection): Promise<void> {
    connection.openedAt = performance.now();
    this.#reportStreaming();
    const found = await this.#intake.catchUp();
    if (found === null || connection.hasEnded) return;
    if (found !== '') this.#reportStreaming(found);
    this.#closeIfNotLed();
  }

  /** What the platform sends while no stream is open is filled in like any other hole. */
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
    const message = `${reason} Trying again in ${Math.ceil(retryMs / 1000)} s.`;
    listener.onState({ state: 'waiting', message, retryMs });
    await pause(retryMs, signal).catch(() => undefined);
  }

  #reportStreaming(found = ''): void {
    const { listener, messages } = this.#options;
    listener.onState({ state: 'streaming', message: `${messages.streaming}${found}`, retryMs: null });
  }
}
