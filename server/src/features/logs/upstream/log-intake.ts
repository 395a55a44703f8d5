import type { LogGap } from '@portal/contract/logs';
import type { LogRecord } from '../ring/log-chunk.ts';
import { type FillLimits, fillHole } from './log-fill.ts';
import type { LogSource, RowsRequest } from './log-source.ts';
import { pause } from './pause.ts';
import { RecentIds } from './recent-ids.ts';

export interface IntakeLimits {
  readonly fill: FillLimits;
  /** Ids remembered. */
  readonly ids: number;
  /** How far the clocks that stamp lines may be apart, and lines out of order. */
  readonly overlapMillis: number;
  /** How long a line may come again after a fill. */
  readonly echoMs: number;
  /** When the table is read again, if the first read may have missed rows. */
  readonly rereadMs: number;
}

/** Called with everything in the order viewers are to see it. */
export interface IntakeListener {
  /** No line comes twice. `filled`: from the table, for a time the stream was away. */
  onLines(records: readonly LogRecord[], filled: boolean): void;
  onGap(gap: LogGap): void;
  /**
   * Everything available has been delivered; `sinceMillis` after the first opening, when the table
   * has it.
   */
  onCaughtUp(sinceMillis: number | null): void;
}

export interface IntakeOptions {
  readonly source: LogSource;
  readonly listener: IntakeListener;
  readonly limits: IntakeLimits;
  /** What the first fill reads. */
  readonly history: () => RowsRequest;
}

/** The stream is open, and what was missed before is being read from the table. */
interface Filling {
  readonly kind: 'filling';
  /** What the stream has brought since it opened. */
  readonly held: LogRecord[];
  /** Ends the fill. */
  readonly abort: AbortController;
}

/** Lines go on as they come. */
interface Live {
  readonly kind: 'live';
  /** Ids of lines that were delivered already and may come again until `echoesUntil`. */
  readonly echoes: ReadonlySet<string>;
  readonly echoesUntil: number;
  /** Ends the later read of the table. */
  readonly abort: AbortController;
}

/**
 * Turns streams that break and a table that lags into one sequence: each line once, holes filled or
 * marked.
 *
 *     Live ── catchUp ──▶ Filling ── filled, or given up ──▶ Live
 *      ▲                     │
 *      └─────── stop ────────┘
 */
export class LogIntake {
  readonly #options: IntakeOptions;
  readonly #ids: RecentIds;
  #state: Filling | Live = { kind: 'live', echoes: new Set(), echoesUntil: 0, abort: new AbortController() };
  /**
   * What the first fill read; undefined before it, null when no one knows where the lines begin.
   */
  #beginning: RowsRequest | null | undefined;
  /** Rows later than this may have reached the table after it was read. */
  #unsureAfterMillis: number | null = null;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#ids = new RecentIds(options.limits.ids);
  }

  get isCatchingUp(): boolean {
    return this.#state.kind === 'filling';
  }

  /** Delivers what the stream brings, behind what is being filled in. */
  push(records: readonly LogRecord[]): void {
    if (this.#state.kind === 'live') this.#deliver(this.#withoutEchoes(this.#state, records), false);
    else for (const record of records) this.#state.held.push(record);
  }

  /**
   * Fills what was missed before the stream was open, then goes on with what it has brought.
   * Returns a sentence about what was found, or null when `stop` came first.
   */
  async catchUp(): Promise<string | null> {
    const held: LogRecord[] = [];
    const { signal } = this.#enter({ kind: 'filling', held, abort: new AbortController() });
    const isFirst = this.#beginning === undefined;
    let filled: { readonly message: string; readonly sinceMillis: number | null } = { message: '', sinceMillis: null };
    try {
      filled = await this.#fill(isFirst, held, signal);
    } catch {
      if (signal.aborted) return null;
      if (isFirst) this.#beginning = null;
      else this.#giveUp(held[0]?.millis ?? null);
    }
    if (signal.aborted) return null;
    this.#goLive();
    this.push(held);
    this.#options.listener.onCaughtUp(isFirst ? filled.sinceMillis : null);
    return isFirst ? '' : filled.message;
  }

  /** Leaves a later read of the table to the fill after the next opening: the stream has ended. */
  interrupt(): void {
    if (this.#state.kind === 'live') this.#state.abort.abort();
  }

  /** Drops a fill with what was held for it: the next one starts where the delivered lines end. */
  stop(): void {
    this.#enter({ kind: 'live', echoes: new Set(), echoesUntil: 0, abort: new AbortController() });
  }

  async #fill(isFirst: boolean, live: readonly LogRecord[], signal: AbortSignal) {
    const { source, limits, history } = this.#options;
    const rowsRequest = isFirst ? history() : this.#missedRows();
    const { firstId } = this.#ids;
    const request = { source, rowsRequest, knownIds: this.#ids.toSet(), firstId, live, limits: limits.fill, signal };
    const { records, isTruncated, isSure } = await fillHole(request);
    signal.throwIfAborted();
    const firstMillis = records[0]?.millis ?? null;
    if (isFirst) this.#beginning = rowsRequest;
    else if (isTruncated) this.#giveUp(firstMillis);
    this.#deliver(records, !isFirst);
    this.#unsureAfterMillis = isSure ? null : rowsRequest.afterMillis;
    const message = records.length === 0 ? ' Nothing was missed.' : ` ${records.length} missed lines were filled in.`;
    return { message: isTruncated ? '' : message, sinceMillis: isTruncated ? firstMillis : rowsRequest.afterMillis };
  }

  /** Throws when no one knows what is missing. */
  #missedRows(): RowsRequest {
    const { overlapMillis, fill } = this.#options.limits;
    const { lastMillis, sinceMillis } = this.#ids;
    const from = lastMillis === null ? this.#beginning?.afterMillis : lastMillis - overlapMillis;
    if (from === undefined) throw new Error('The table was never read, so where the lines begin is unknown.');
    return { afterMillis: Math.max(Math.min(from, this.#unsureAfterMillis ?? from), sinceMillis), maxRows: fill.lines };
  }

  /** Reports that lines are lost, and lets none of them come in later. */
  #giveUp(toMillis: number | null): void {
    const { lastMillis } = this.#ids;
    this.#options.listener.onGap({ reason: 'platform', lines: null, fromMillis: lastMillis, toMillis });
    this.#ids.restart();
    this.#beginning = null;
    this.#unsureAfterMillis = null;
  }

  #goLive(): void {
    const { signal } = this.#enter(this.#liveAfterFill(new AbortController()));
    // What it throws leaves the rows to the next fill.
    if (this.#unsureAfterMillis !== null) this.#readLate(this.#unsureAfterMillis, signal).catch(() => undefined);
  }

  /**
   * Reads a table that lags more than was waited for: its lines come late and out of order, but
   * they come. What is both in the table and on its way on the stream is given the time to arrive.
   */
  async #readLate(afterMillis: number, signal: AbortSignal): Promise<void> {
    const { source, limits } = this.#options;
    await pause(limits.rereadMs, signal);
    const rows = await source.readRows({ afterMillis, maxRows: limits.fill.lines });
    signal.throwIfAborted();
    const first = rows.findIndex(({ id }) => id === this.#ids.firstId);
    const candidates = rows.slice(Math.max(0, first));
    if (this.#missing(candidates).length > 0) {
      await pause(limits.fill.settleMs, signal);
      this.#deliver(this.#missing(candidates), true);
    }
    this.#unsureAfterMillis = null;
    if (this.#state.kind === 'live') this.#state = this.#liveAfterFill(this.#state.abort);
  }

  #missing(rows: readonly LogRecord[]): LogRecord[] {
    const knownIds = this.#ids.toSet();
    return rows.filter(({ id, millis }) => millis > this.#ids.sinceMillis && !knownIds.has(id));
  }

  #liveAfterFill(abort: AbortController): Live {
    const echoesUntil = performance.now() + this.#options.limits.echoMs;
    return { kind: 'live', echoes: this.#ids.toSet(), echoesUntil, abort };
  }

  /** Ends what the state before had under way. */
  #enter(state: Filling | Live): AbortController {
    this.#state.abort.abort();
    this.#state = state;
    return state.abort;
  }

  #withoutEchoes(live: Live, records: readonly LogRecord[]): readonly LogRecord[] {
    if (live.echoes.size === 0) return records;
    if (performance.now() <= live.echoesUntil) return records.filter(({ id }) => !live.echoes.has(id));
    this.#state = { ...live, echoes: new Set() };
    return records;
  }

  #deliver(records: readonly LogRecord[], filled: boolean): void {
    if (records.length === 0) return;
    this.#ids.add(records);
    this.#options.listener.onLines(records, filled);
  }
}
