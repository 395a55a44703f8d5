import type { BatchFrame } from '@portal/contract/logs';
import { type Backoff, backoffMs } from '@portal/kit/backoff';
import { Problem } from '@portal/kit/problems';
import type { LogRecord } from '../ring/log-chunk.ts';
import { type ConnectionListener, LogConnection } from './log-connection.ts';
import { type IntakeLimits, type IntakeListener, LogIntake } from './log-intake.ts';
import { isRefusal, type LogCredentials, type LogSource, type RowsWanted } from './log-source.ts';

export type UpstreamState = Omit<Extract<BatchFrame, { type: 'state' }>, 'type'>;

export interface UpstreamListener extends IntakeListener {
  onState(state: UpstreamState): void;
  /** The platform does not let these credentials see this app's log: they must lead no more. */
  onRefused(credentials: LogCredentials, problem: Problem): void;
}

export interface UpstreamLimits {
  readonly backoff: Backoff;
  /** A stream that held so long counts as good: the next failure starts with the shortest wait. */
  readonly steadyMs: number;
  readonly intake: IntakeLimits;
}

export interface UpstreamOptions {
  readonly source: LogSource;
  readonly listener: UpstreamListener;
  readonly limits: UpstreamLimits;
  /** What a new stream starts with. */
  readonly history: () => RowsWanted;
  readonly words: { readonly connecting: string; readonly streaming: string };
}

interface Ending {
  readonly credentials: LogCredentials;
  readonly problem: unknown;
}

/**
 * Keeps the one stream of an app open as long as somebody leads: tries again with back-off, opens it anew when
 * another leads, and has what was missed meanwhile filled in.
 */
export class LogUpstream implements ConnectionListener {
  readonly #options: UpstreamOptions;
  readonly #intake: LogIntake;
  #lead: LogCredentials | null = null;
  #active: LogConnection | null = null;
  #retry: NodeJS.Timeout | null = null;
  #attempt = 0;
  #openedAt: number | null = null;
  #endedWhileFilling: Ending | null = null;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#intake = new LogIntake({ ...options, limits: options.limits.intake });
  }

  /** Whose credentials the stream goes on with; null ends it. */
  lead(credentials: LogCredentials | null): void {
    this.#lead = credentials;
    if (credentials === null) this.#stop();
    else if (this.#active !== null) this.#switchIfNeeded(this.#active, credentials);
    else if (this.#retry === null && !this.#intake.isCatchingUp) this.#connect(credentials);
  }

  onOpen(connection: LogConnection): void {
    if (connection === this.#active) void this.#goOnAfterHole();
  }

  onRecords(connection: LogConnection, records: readonly LogRecord[]): void {
    if (connection !== this.#active) return;
    this.#intake.take(records);
  }

  onEnd(connection: LogConnection, problem: unknown): void {
    if (connection !== this.#active) return;
    this.#active = null;
    this.#intake.interrupt();
    const ending: Ending = { credentials: connection.credentials, problem };
    if (this.#intake.isCatchingUp) this.#endedWhileFilling = ending;
    else this.#goOnAfterEnd(ending);
  }

  #connect(credentials: LogCredentials): void {
    const { source, listener, words } = this.#options;
    listener.onState({ state: 'connecting', message: words.connecting, retryMs: null });
    this.#active = new LogConnection(source, credentials, this);
  }

  #stop(): void {
    this.#active?.close();
    this.#active = null;
    this.#endedWhileFilling = null;
    this.#intake.stop();
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    this.#attempt = 0;
  }

  /** The stream is open, and lines before it may be missing. */
  async #goOnAfterHole(): Promise<void> {
    this.#openedAt = performance.now();
    this.#sayStreaming();
    const found = await this.#intake.catchUp();
    if (found === null) return;
    const ended = this.#endedWhileFilling;
    this.#endedWhileFilling = null;
    if (ended !== null) {
      this.#goOnAfterEnd(ended);
      return;
    }
    if (found !== '') this.#sayStreaming(found);
    if (this.#active !== null && this.#lead !== null) this.#switchIfNeeded(this.#active, this.#lead);
  }

  /** Other credentials at once if these are refused; the same, later, if the platform is in trouble. */
  #goOnAfterEnd({ credentials, problem }: Ending): void {
    const { listener, limits } = this.#options;
    if (isRefusal(problem)) {
      listener.onRefused(credentials, problem);
      return;
    }
    if (this.#openedAt !== null && performance.now() - this.#openedAt > limits.steadyMs) this.#attempt = 0;
    this.#openedAt = null;
    const retryMs = backoffMs(this.#attempt, limits.backoff);
    this.#attempt += 1;
    const reason = problem instanceof Problem ? problem.message : 'The platform closed the log stream.';
    const message = `${reason} Trying again in ${Math.ceil(retryMs / 1000)} s.`;
    listener.onState({ state: 'waiting', message, retryMs });
    this.#retry = setTimeout(() => {
      this.#retry = null;
      if (this.#lead !== null) this.#connect(this.#lead);
    }, retryMs);
  }

  /** What the platform sends while neither stream is open is filled in like any other hole. */
  #switchIfNeeded(active: LogConnection, credentials: LogCredentials): void {
    if (active.credentials.key === credentials.key || this.#intake.isCatchingUp) return;
    active.close();
    this.#intake.interrupt();
    this.#connect(credentials);
  }

  #sayStreaming(found = ''): void {
    const { listener, words } = this.#options;
    listener.onState({ state: 'streaming', message: `${words.streaming}${found}`, retryMs: null });
  }
}
