import type { LogGap } from '@portal/contract/logs';
import type { ReceivedLine } from '../ring/ring-chunk.ts';
import { type FillLimits, fillHole } from './log-fill.ts';
import type { LogSource, RowsRequest } from './log-source.ts';
import { pause } from './pause.ts';
import { RecentIds } from './recent-ids.ts';

export interface IntakeLimits {
  readonly fill: FillLimits;
  /** Number of ids kept. */
  readonly ids: number;
  /** Maximum clock skew and disorder of line timestamps. */
  readonly overlapMillis: number;
  /** How long lines may be repeated by the stream after a fill. */
  readonly repeatMs: number;
  /** Delay before the table is read again if the first read may have missed rows. */
  readonly rereadMs: number;
}

/** Called with everything in the order in which viewers see it. */
export interface IntakeListener {
  /**
   * No line is delivered twice. `filled` is true for lines from the table that the stream missed.
   */
  onLines(records: readonly ReceivedLine[], filled: boolean): void;
  onGap(gap: LogGap): void;
  /**
   * Called when everything available has been delivered. `sinceMillis` is set after the first fill
   * if the table covers it.
   */
  onCaughtUp(sinceMillis: number | null): void;
  /** Called with the final sentence about missed lines if `catchUp` could not be sure of it. */
  onSettled(found: string): void;
}

export interface IntakeOptions {
  readonly source: LogSource;
  readonly listener: IntakeListener;
  readonly limits: IntakeLimits;
  /** Returns the rows that the first fill reads. */
  readonly history: () => RowsRequest;
}

/** The stream is open, and the lines it missed are being read from the table. */
interface Filling {
  readonly kind: 'filling';
  /** Lines received since the stream opened. */
  readonly held: ReceivedLine[];
  /** Aborts the fill. */
  readonly abort: AbortController;
}

/** Lines are delivered as they arrive. */
interface Live {
  readonly kind: 'live';
  /** Ids of delivered lines that may be repeated until `repeatsUntil`. */
  readonly repeats: ReadonlySet<string | null>;
  readonly repeatsUntil: number;
  /** Aborts the later read of the table. */
  readonly abort: AbortController;
}

/**
 * Merges unreliable streams and a lagging table into one sequence: each line once, gaps filled or
 * marked.
 *
 *     Live ── catchUp ──▶ Filling ── filled, or given up ──▶ Live
 *      ▲                     │
 *      └─────── stop ────────┘
 */
export class LogIntake {
  readonly #options: IntakeOptions;
  readonly #ids: RecentIds;
  #state: Filling | Live = { kind: 'live', repeats: new Set(), repeatsUntil: 0, abort: new AbortController() };
  /**
   * The request of the first fill; undefined before it, null if the start of the lines is unknown.
   */
  #beginning: RowsRequest | null | undefined;
  /** Rows after this instant may have reached the table after it was read. */
  #unsureAfterMillis: number | null = null;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#ids = new RecentIds(options.limits.ids);
  }

  get isCatchingUp(): boolean {
    return this.#state.kind === 'filling';
  }

  /** Delivers lines from the stream, after those being filled in. */
  push(records: readonly ReceivedLine[]): void {
    if (this.#state.kind === 'live') this.#deliver(this.#withoutRepeats(this.#state, records), false);
    else for (const record of records) this.#state.held.push(record);
  }

  /**
   * Fills the lines missed before the stream opened, then continues with the lines received since.
   * The first time, it delivers the rows of the last minutes as soon as they are read. Returns a
   * sentence about the result, or null if `stop` was called first.
   */
  async catchUp(): Promise<string | null> {
    const held: ReceivedLine[] = [];
    const { signal } = this.#enter({ kind: 'filling', held, abort: new AbortController() });
    const isFirst = this.#beginning === undefined;
    let sinceMillis: number | null = null;
    let recovered: number | null = null;
    try {
      if (isFirst) sinceMillis = await this.#readHistory(held, signal);
      recovered = await this.#fill(isFirst, held, signal);
    } catch {
      if (signal.aborted) return null;
      if (this.#beginning === undefined) this.#beginning = null;
      else this.#giveUp(held[0]?.millis ?? null);
    }
    if (signal.aborted) return null;
    const isSure = this.#unsureAfterMillis === null;
    // A new stream has missed nothing.
    const missed = isFirst ? null : recovered;
    this.#goLive(missed);
    this.push(held);
    this.#options.listener.onCaughtUp(sinceMillis);
    return missed === null ? '' : describeRecovered(missed, isSure);
  }

  /**
   * Cancels a later read of the table because the stream has ended; the next fill covers those
   * rows.
   */
  interrupt(): void {
    if (this.#state.kind === 'live') this.#state.abort.abort();
  }

  /**
   * Cancels a fill and drops its held lines; the next fill starts where the delivered lines end.
   */
  stop(): void {
    this.#enter({ kind: 'live', repeats: new Set(), repeatsUntil: 0, abort: new AbortController() });
  }

  /**
   * Delivers the rows that are already in the table. Rows that reach it later are filled in like
   * missed lines. Returns the instant since when the lines are complete.
   */
  async #readHistory(live: readonly ReceivedLine[], signal: AbortSignal): Promise<number> {
    const request = this.#options.history();
    const rows = await this.#options.source.readRows(request);
    signal.throwIfAborted();
    this.#beginning = request;
    const liveIds = new Set(live.map(({ id }) => id));
    const firstLive = rows.findIndex(({ id }) => liveIds.has(id));
    this.#deliver(firstLive === -1 ? rows : rows.slice(0, firstLive), false);
    const isTruncated = rows.length >= request.maxRows;
    return (isTruncated && rows[0]?.millis) || request.afterMillis;
  }

  /** Returns the number of recovered lines, or null if others are lost. */
  async #fill(isFirst: boolean, live: readonly ReceivedLine[], signal: AbortSignal): Promise<number | null> {
    const { source, limits } = this.#options;
    const rowsRequest = this.#missedRows();
    const { firstId } = this.#ids;
    const request = { source, rowsRequest, knownIds: this.#ids.toSet(), firstId, live, limits: limits.fill, signal };
    const { records, isTruncated, isSure } = await fillHole(request);
    signal.throwIfAborted();
    if (isTruncated) this.#giveUp(records[0]?.millis ?? null);
    this.#deliver(records, !isFirst);
    this.#unsureAfterMillis = isSure ? null : rowsRequest.afterMillis;
    return isTruncated ? null : records.length;
  }

  /** Throws if it is unknown what is missing. */
  #missedRows(): RowsRequest {
    const { overlapMillis, fill } = this.#options.limits;
    const { lastMillis, sinceMillis } = this.#ids;
    const from = lastMillis === null ? this.#beginning?.afterMillis : lastMillis - overlapMillis;
    if (from === undefined) throw new Error('The table was never read, so the start of the lines is unknown.');
    return { afterMillis: Math.max(Math.min(from, this.#unsureAfterMillis ?? from), sinceMillis), maxRows: fill.lines };
  }

  /** Reports lost lines, and makes sure that none of them is delivered later. */
  #giveUp(toMillis: number | null): void {
    const { lastMillis } = this.#ids;
    this.#options.listener.onGap({ reason: 'platform', lines: null, fromMillis: lastMillis, toMillis });
    this.#ids.restart();
    this.#beginning = null;
    this.#unsureAfterMillis = null;
  }

  #goLive(recovered: number | null): void {
    const { signal } = this.#enter(this.#liveAfterFill(new AbortController()));
    // On failure, the next fill covers these rows.
    if (this.#unsureAfterMillis !== null)
      this.#readLate(this.#unsureAfterMillis, recovered, signal).catch(() => undefined);
  }

  /**
   * Reads a table that lags more than the settle time. Its lines are delivered late and out of
   * order. Rows that are also on their way on the stream get time to arrive first.
   */
  async #readLate(afterMillis: number, recovered: number | null, signal: AbortSignal): Promise<void> {
    const { source, limits } = this.#options;
    await pause(limits.rereadMs, signal);
    const rows = await source.readRows({ afterMillis, maxRows: limits.fill.lines });
    signal.throwIfAborted();
    const first = rows.findIndex(({ id }) => id === this.#ids.firstId);
    const candidates = rows.slice(Math.max(0, first));
    let late: readonly ReceivedLine[] = [];
    if (this.#missing(candidates).length > 0) {
      await pause(limits.fill.settleMs, signal);
      late = this.#missing(candidates);
      this.#deliver(late, true);
    }
    this.#unsureAfterMillis = null;
    if (this.#state.kind === 'live') this.#state = this.#liveAfterFill(this.#state.abort);
    if (recovered !== null) this.#options.listener.onSettled(describeRecovered(recovered + late.length, true));
  }

  #missing(rows: readonly ReceivedLine[]): ReceivedLine[] {
    const knownIds = this.#ids.toSet();
    return rows.filter(({ id, millis }) => millis > this.#ids.sinceMillis && !knownIds.has(id));
  }

  #liveAfterFill(abort: AbortController): Live {
    const repeatsUntil = performance.now() + this.#options.limits.repeatMs;
    return { kind: 'live', repeats: this.#ids.toSet(), repeatsUntil, abort };
  }

  /** Aborts the work of the previous state. */
  #enter(state: Filling | Live): AbortController {
    this.#state.abort.abort();
    this.#state = state;
    return state.abort;
  }

  #withoutRepeats(live: Live, records: readonly ReceivedLine[]): readonly ReceivedLine[] {
    if (live.repeats.size === 0) return records;
    if (performance.now() <= live.repeatsUntil) return records.filter(({ id }) => !live.repeats.has(id));
    this.#state = { ...live, repeats: new Set() };
    return records;
  }

  #deliver(records: readonly ReceivedLine[], filled: boolean): void {
    if (records.length === 0) return;
    this.#ids.add(records);
    this.#options.listener.onLines(records, filled);
  }
}

/** Describes how many missed lines were recovered, which is not final while the table may lag. */
function describeRecovered(lines: number, isFinal: boolean): string {
  if (lines === 0) return isFinal ? ' No lines were missed.' : ' No missed lines found so far.';
  return ` Recovered ${lines} missed ${lines === 1 ? 'line' : 'lines'}${isFinal ? '' : ' so far'}.`;
}
