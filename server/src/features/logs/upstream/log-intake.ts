import type { LogGap } from '@portal/contract/logs';
import type { LogRecord } from '../ring/log-chunk.ts';
import { type FillLimits, fillHole } from './log-fill.ts';
import type { LogSource, RowsWanted } from './log-source.ts';
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
  /** When the table is looked at again, if the first look cannot be known to have found all. */
  readonly lookAgainMs: number;
}

/** Called with everything in the order viewers are to see it. */
export interface IntakeListener {
  /** No line comes twice. `filled`: from the table, for a time the stream was away. */
  onLines(records: readonly LogRecord[], filled: boolean): void;
  onGap(gap: LogGap): void;
  /** Everything that can be had is there; `sinceMillis` after the first opening, when the table told it. */
  onCaughtUp(sinceMillis: number | null): void;
}

export interface IntakeOptions {
  readonly source: LogSource;
  readonly listener: IntakeListener;
  readonly limits: IntakeLimits;
  /** What the first fill reads. */
  readonly history: () => RowsWanted;
}

/** Makes one sequence of lines out of streams that break and a table that lags: each line once, holes filled or told. */
export class LogIntake {
  readonly #options: IntakeOptions;
  readonly #ids: RecentIds;
  #isNew = true;
  /** What the table was asked for first; null until it has answered. */
  #beginning: RowsWanted | null = null;
  /** While a hole is being filled: what the stream has brought meanwhile. */
  #held: LogRecord[] | null = null;
  #abort = new AbortController();
  /** Set while the table is to be looked at again. */
  #lookAgain: { readonly wanted: RowsWanted; readonly abort: AbortController } | null = null;
  #echoes: { readonly ids: ReadonlySet<string>; readonly until: number } | null = null;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#ids = new RecentIds(options.limits.ids);
  }

  get isCatchingUp(): boolean {
    return this.#held !== null;
  }

  /** Ids of the last lines. */
  had(): Set<string> {
    return this.#ids.toSet();
  }

  /** What the stream brings. */
  take(records: readonly LogRecord[]): void {
    if (this.#held === null) this.#accept(records);
    else for (const record of records) this.#held.push(record);
  }

  /**
   * Fills what was missed before the stream was open, then goes on with what it has brought. Answers in words what was
   * found, or null when `stop` came between.
   */
  async catchUp(held: LogRecord[] = []): Promise<string | null> {
    const { listener, history } = this.#options;
    const { signal } = this.#abort;
    const isFirst = this.#isNew;
    this.#held = held;
    let words = '';
    let sinceMillis: number | null = null;
    try {
      if (isFirst) this.#beginning = history();
      const found = await this.#fill(this.#wanted(isFirst), held, signal, isFirst);
      if (isFirst) sinceMillis = found.sinceMillis;
      else words = found.words;
    } catch {
      if (signal.aborted) return null;
      if (isFirst) this.#beginning = null;
      else this.#giveUp(held[0]?.millis ?? null);
    }
    this.#isNew = false;
    this.#held = null;
    this.#accept(held);
    listener.onCaughtUp(sinceMillis);
    return words;
  }

  /** The stream is away: what a later look would find is left to the fill after its next opening. */
  interrupt(): void {
    this.#lookAgain?.abort.abort();
  }

  /** Drops what was held with the fill it waited for: the next opening starts again where the lines end. */
  stop(): void {
    this.#held = null;
    this.interrupt();
    this.#abort.abort();
    this.#abort = new AbortController();
  }

  /** Throws when nobody can say what is missing. */
  #wanted(isFirst: boolean): RowsWanted {
    const { limits } = this.#options;
    const { lastMillis, sinceMillis } = this.#ids;
    const beginning = this.#beginning;
    if (lastMillis === null && beginning === null) throw new Error('The table has never told where the lines begin.');
    const overlapping = lastMillis === null ? beginning?.afterMillis : lastMillis - limits.overlapMillis;
    // This look takes the place of one that is still to come.
    const unsure = this.#lookAgain?.wanted.afterMillis;
    this.#lookAgain?.abort.abort();
    this.#lookAgain = null;
    const afterMillis = Math.max(Math.min(overlapping ?? Infinity, unsure ?? Infinity), sinceMillis);
    return { afterMillis, most: isFirst && beginning !== null ? beginning.most : limits.fill.lines };
  }

  async #fill(wanted: RowsWanted, live: readonly LogRecord[], signal: AbortSignal, isFirst: boolean) {
    const { source, limits } = this.#options;
    const { firstId } = this.#ids;
    const request = { source, wanted, had: this.had(), firstId, live, limits: limits.fill, signal };
    const { records, cut, isSure } = await fillHole(request);
    signal.throwIfAborted();
    const firstMillis = records[0]?.millis ?? null;
    if (cut && !isFirst) this.#giveUp(firstMillis);
    this.#deliver(records, !isFirst);
    this.#remember();
    if (!isSure) this.#lookAgainLater(wanted);
    const words = records.length === 0 ? ' Nothing was missed.' : ` ${records.length} missed lines were filled in.`;
    return { words: cut ? '' : words, sinceMillis: cut ? firstMillis : wanted.afterMillis };
  }

  /** Tells that lines are lost, and lets none of them come in later. */
  #giveUp(toMillis: number | null): void {
    const { lastMillis } = this.#ids;
    this.#options.listener.onGap({ reason: 'platform', lines: null, fromMillis: lastMillis, toMillis });
    this.#ids.beginAnew();
    this.#beginning = null;
    this.#lookAgain?.abort.abort();
    this.#lookAgain = null;
  }

  /**
   * A table that lags more than was waited for: its lines come late, and out of their order, but they come. What is in
   * the table and on its way on the stream too is given the time to arrive.
   */
  #lookAgainLater(wanted: RowsWanted): void {
    const abort = new AbortController();
    const look = { wanted, abort };
    this.#lookAgain = look;
    const done = () => {
      if (this.#lookAgain === look) this.#lookAgain = null;
    };
    // If it comes to nothing it stays set, and the next fill looks for it.
    this.#takeLate(wanted, abort.signal).then(done, () => undefined);
  }

  async #takeLate(wanted: RowsWanted, signal: AbortSignal): Promise<void> {
    const { source, limits } = this.#options;
    const isMissing = (had: ReadonlySet<string>) => (row: LogRecord) =>
      row.millis > this.#ids.sinceMillis && !had.has(row.id);
    await pause(limits.lookAgainMs, signal);
    const rows = await source.logged({ ...wanted, most: limits.fill.lines });
    const from = rows.findIndex((row) => row.id === this.#ids.firstId);
    const missing = rows.slice(Math.max(0, from)).filter(isMissing(this.had()));
    if (missing.length === 0) return;
    await pause(limits.fill.settleMs, signal);
    this.#deliver(missing.filter(isMissing(this.had())), true);
    this.#remember();
  }

  /** For a while, what came already may come again. */
  #remember(): void {
    this.#echoes = { ids: this.had(), until: performance.now() + this.#options.limits.echoMs };
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
