import type { BatchFrame, LogGap } from '@portal/contract/logs';
import { type Backoff, backoffMs } from '@portal/kit/backoff';
import { NotFound, NotSignedIn, Problem, Refused } from '@portal/kit/problems';
import type { LogRecord } from './log-chunk.ts';
import { type ConnectionListener, LogConnection } from './log-connection.ts';
import { type FillLimits, fillHole } from './log-fill.ts';
import { LogHandover } from './log-handover.ts';
import type { LogCredentials, LogSource } from './log-source.ts';
import { RecentIds } from './recent-ids.ts';

export type UpstreamState = Omit<Extract<BatchFrame, { type: 'state' }>, 'type'>;

/** Called with everything in the order viewers are to see it. */
export interface UpstreamListener {
  /** No line comes twice. `filled`: from the table, for a time the stream was away. */
  onLines(records: readonly LogRecord[], filled: boolean): void;
  onGap(gap: LogGap): void;
  onState(state: UpstreamState): void;
  /** Everything that can be had is there; `sinceMillis` once, after the first opening, when the table told it. */
  onCaughtUp(sinceMillis: number | null): void;
  /** The platform does not let these credentials see this app's log: they must lead no more. */
  onRefused(credentials: LogCredentials, problem: Problem): void;
}

export interface UpstreamLimits {
  readonly backoff: Backoff;
  readonly fill: FillLimits;
  readonly ids: number;
  /** How far the clocks that stamp lines may be apart, and lines out of order. */
  readonly overlapMillis: number;
  /** How long a line may come again after a fill or a handover. */
  readonly echoMs: number;
  /** A stream that held so long counts as good: the next failure starts with the shortest wait. */
  readonly steadyMs: number;
  readonly handover: { readonly overlapMs: number; readonly mostMs: number };
}

export interface UpstreamOptions {
  readonly source: LogSource;
  readonly listener: UpstreamListener;
  readonly limits: UpstreamLimits;
  /** Where the first fill starts, and how many of the newest rows it reads. */
  readonly history: () => { readonly afterMillis: number; readonly most: number };
  readonly words: { readonly connecting: string; readonly streaming: string };
}

/**
 * Keeps the one stream of an app open as long as somebody leads: tries again with back-off, fills what was missed, and
 * hands over from one leader's credentials to another's without a hole.
 */
export class LogUpstream implements ConnectionListener {
  readonly #options: UpstreamOptions;
  readonly #ids: RecentIds;
  #lead: LogCredentials | null = null;
  #active: LogConnection | null = null;
  #handover: LogHandover | null = null;
  #retry: NodeJS.Timeout | null = null;
  #attempt = 0;
  #openedAt = 0;
  /** While a hole is being filled: what the stream has brought meanwhile. */
  #held: LogRecord[] | null = null;
  #endedWhileFilling: { readonly credentials: LogCredentials; readonly problem: unknown } | null = null;
  #fillAbort = new AbortController();
  #history: { readonly afterMillis: number; readonly most: number } | null = null;
  #echoes: { readonly ids: ReadonlySet<string>; readonly until: number } | null = null;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#ids = new RecentIds(options.limits.ids);
  }

  /** Whose credentials the stream goes on with; null ends it. */
  lead(credentials: LogCredentials | null): void {
    this.#lead = credentials;
    if (credentials === null) this.#stop();
    else if (this.#active !== null) this.#handOverIfNeeded(this.#active, credentials);
    else if (this.#retry === null && this.#held === null) this.#connect(credentials);
  }

  onOpen(connection: LogConnection): void {
    if (connection !== this.#active) return;
    this.#openedAt = performance.now();
    this.#sayStreaming();
    void this.#catchUp([]);
  }

  onRecords(connection: LogConnection, records: readonly LogRecord[]): void {
    if (connection !== this.#active) return;
    if (this.#held !== null) for (const record of records) this.#held.push(record);
    else this.#accept(records);
    this.#handover?.onDelivered(records);
  }

  onEnd(connection: LogConnection, problem: unknown): void {
    if (connection !== this.#active) return;
    this.#active = null;
    if (this.#handover !== null) this.#handover.hurry();
    else if (this.#held === null) this.#goOn(connection.credentials, problem);
    else this.#endedWhileFilling = { credentials: connection.credentials, problem };
  }

  #connect(credentials: LogCredentials): void {
    const { source, listener, words } = this.#options;
    listener.onState({ state: 'connecting', message: words.connecting, retryMs: null });
    this.#active = new LogConnection(source, credentials, this);
  }

  #stop(): void {
    this.#active?.close();
    this.#active = null;
    this.#handover?.cancel();
    this.#handover = null;
    this.#endedWhileFilling = null;
    // What was held is dropped with the fill it waited for: the next opening starts again where the lines end.
    this.#held = null;
    this.#fillAbort.abort();
    this.#fillAbort = new AbortController();
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    this.#attempt = 0;
  }

  /** After an end: other credentials at once if these are refused, the same later if the platform is in trouble. */
  #goOn(credentials: LogCredentials, problem: unknown): void {
    const { listener, limits } = this.#options;
    if (problem instanceof NotSignedIn || problem instanceof Refused || problem instanceof NotFound) {
      listener.onRefused(credentials, problem);
      return;
    }
    if (performance.now() - this.#openedAt > limits.steadyMs) this.#attempt = 0;
    const retryMs = backoffMs(this.#attempt, limits.backoff);
    this.#attempt += 1;
    this.#openedAt = performance.now();
    const reason = problem instanceof Problem ? problem.message : 'The platform closed the log stream.';
    const seconds = Math.ceil(retryMs / 1000);
    listener.onState({ state: 'waiting', message: `${reason} Trying again in ${seconds} s.`, retryMs });
    this.#retry = setTimeout(() => {
      this.#retry = null;
      if (this.#lead !== null) this.#connect(this.#lead);
    }, retryMs);
  }

  #handOverIfNeeded(active: LogConnection, credentials: LogCredentials): void {
    const target = this.#handover?.credentials ?? active.credentials;
    if (target.key === credentials.key || this.#held !== null) return;
    this.#handover?.cancel();
    this.#handover = null;
    if (active.credentials.key === credentials.key) return;
    const { source, limits } = this.#options;
    this.#handover = new LogHandover({
      source,
      credentials,
      limits: limits.handover,
      had: () => this.#ids.toSet(),
      onDone: (connection, held, overlaps) => this.#takeOver(connection, held, overlaps),
      onFailed: (problem) => {
        this.#handover = null;
        this.#active?.close();
        this.#active = null;
        this.#goOn(credentials, problem);
      },
      listener: this,
    });
  }

  #takeOver(connection: LogConnection, held: LogRecord[], overlaps: boolean): void {
    this.#handover = null;
    this.#active?.close();
    this.#active = connection;
    if (overlaps) {
      this.#remember(this.#ids.toSet());
      this.#accept(held);
    } else if (connection.isOpen) {
      this.#openedAt = performance.now();
      this.#sayStreaming();
      void this.#catchUp(held);
    }
  }

  async #catchUp(held: LogRecord[]): Promise<void> {
    const { source, listener, limits } = this.#options;
    const { signal } = this.#fillAbort;
    const isFirst = this.#history === null;
    this.#history ??= this.#options.history();
    const { afterMillis: historyMillis, most: historyMost } = this.#history;
    const { lastMillis, sinceMillis, firstId } = this.#ids;
    const afterMillis = lastMillis === null ? historyMillis : Math.max(lastMillis - limits.overlapMillis, sinceMillis);
    const most = isFirst ? historyMost : limits.fill.lines;
    this.#held = held;
    let found = '';
    let reachesBack: number | null = null;
    try {
      const had = this.#ids.toSet();
      const { records, cut } = await fillHole({
        source,
        afterMillis,
        most,
        had,
        firstId,
        live: held,
        limits: limits.fill,
        signal,
      });
      if (signal.aborted) return;
      const firstMillis = records[0]?.millis ?? null;
      if (cut && !isFirst)
        listener.onGap({ reason: 'platform', lines: null, fromMillis: lastMillis, toMillis: firstMillis });
      this.#deliver(records, !isFirst);
      this.#remember(new Set(records.map((record) => record.id)));
      if (!isFirst && !cut)
        found = records.length === 0 ? ' Nothing was missed.' : ` ${records.length} missed lines were filled in.`;
      if (isFirst) reachesBack = cut ? firstMillis : afterMillis;
    } catch {
      if (signal.aborted) return;
      if (!isFirst) {
        listener.onGap({ reason: 'platform', lines: null, fromMillis: lastMillis, toMillis: held[0]?.millis ?? null });
      }
    }
    this.#held = null;
    this.#accept(held);
    listener.onCaughtUp(reachesBack);
    const ended = this.#endedWhileFilling;
    this.#endedWhileFilling = null;
    if (ended !== null) {
      this.#goOn(ended.credentials, ended.problem);
      return;
    }
    if (found !== '') this.#sayStreaming(found);
    if (this.#active !== null && this.#lead !== null) this.#handOverIfNeeded(this.#active, this.#lead);
  }

  #sayStreaming(found = ''): void {
    const { listener, words } = this.#options;
    listener.onState({ state: 'streaming', message: `${words.streaming}${found}`, retryMs: null });
  }

  #remember(ids: ReadonlySet<string>): void {
    this.#echoes = { ids, until: performance.now() + this.#options.limits.echoMs };
  }

  #accept(records: readonly LogRecord[]): void {
    if (this.#echoes !== null && performance.now() > this.#echoes.until) this.#echoes = null;
    const { ids } = this.#echoes ?? {};
    this.#deliver(ids === undefined ? records : records.filter((record) => !ids.has(record.id)), false);
  }

  #deliver(records: readonly LogRecord[], filled: boolean): void {
    if (records.length === 0) return;
    this.#ids.add(records);
    this.#options.listener.onLines(records, filled);
  }
}
