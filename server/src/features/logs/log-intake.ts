import type { LogGap } from '@portal/contract/logs';
import type { LogRecord } from './log-chunk.ts';
import { type FillLimits, fillHole } from './log-fill.ts';
import type { LogSource, RowsWanted } from './log-source.ts';
import { RecentIds } from './recent-ids.ts';

export interface IntakeLimits {
  readonly fill: FillLimits;
  /** Ids remembered. */
  readonly ids: number;
  /** How far the clocks that stamp lines may be apart, and lines out of order. */
  readonly overlapMillis: number;
  /** How long a line may come again after a fill or a handover. */
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
  #history: RowsWanted | null = null;
  /** While a hole is being filled: what the stream has brought meanwhile. */
  #held: LogRecord[] | null = null;
  #abort = new AbortController();
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

  /** What another stream brings that overlaps with the one so far. */
  takeOverlapping(records: readonly LogRecord[]): void {
    this.#remember();
    this.take(records);
  }

  /**
   * Fills what was missed before the stream was open, then goes on with what it has brought. Answers in words what was
   * found, or null when `stop` came between.
   */
  async catchUp(held: LogRecord[] = []): Promise<string | null> {
    const { listener, history } = this.#options;
    const { signal } = this.#abort;
    const isFirst = this.#history === null;
    this.#history ??= history();
    this.#held = held;
    let words = '';
    let sinceMillis: number | null = null;
    try {
      const found = await this.#fill(this.#wanted(isFirst, this.#history), held, signal, isFirst);
      if (isFirst) sinceMillis = found.sinceMillis;
      else words = found.words;
    } catch {
      if (signal.aborted) return null;
      const gap: LogGap = {
        reason: 'platform',
        lines: null,
        fromMillis: this.#ids.lastMillis,
        toMillis: held[0]?.millis ?? null,
      };
      if (!isFirst) listener.onGap(gap);
    }
    this.#held = null;
    this.#accept(held);
    listener.onCaughtUp(sinceMillis);
    return words;
  }

  /** Drops what was held with the fill it waited for: the next opening starts again where the lines end. */
  stop(): void {
    this.#held = null;
    this.#abort.abort();
    this.#abort = new AbortController();
  }

  #wanted(isFirst: boolean, history: RowsWanted): RowsWanted {
    const { limits } = this.#options;
    const { lastMillis, sinceMillis } = this.#ids;
    const afterMillis =
      lastMillis === null ? history.afterMillis : Math.max(lastMillis - limits.overlapMillis, sinceMillis);
    return { afterMillis, most: isFirst ? history.most : limits.fill.lines };
  }

  async #fill(wanted: RowsWanted, live: readonly LogRecord[], signal: AbortSignal, isFirst: boolean) {
    const { source, listener, limits } = this.#options;
    const { firstId, lastMillis } = this.#ids;
    const request = { source, wanted, had: this.had(), firstId, live, limits: limits.fill, signal };
    const { records, cut, isSure } = await fillHole(request);
    signal.throwIfAborted();
    const firstMillis = records[0]?.millis ?? null;
    if (cut && !isFirst)
      listener.onGap({ reason: 'platform', lines: null, fromMillis: lastMillis, toMillis: firstMillis });
    this.#deliver(records, !isFirst);
    this.#remember();
    if (!isSure) this.#lookAgain(wanted, signal);
    const words = records.length === 0 ? ' Nothing was missed.' : ` ${records.length} missed lines were filled in.`;
    return { words: cut ? '' : words, sinceMillis: cut ? firstMillis : wanted.afterMillis };
  }

  /** A table that lags more than was waited for: its lines come late, and out of their order, but they come. */
  #lookAgain(wanted: RowsWanted, signal: AbortSignal): void {
    const { source, limits } = this.#options;
    const look = async () => {
      const rows = await source.logged(wanted);
      if (signal.aborted) return;
      const had = this.had();
      const from = Math.max(
        0,
        rows.findIndex((row) => row.id === this.#ids.firstId),
      );
      const late = rows.slice(from).filter((row) => row.millis > this.#ids.sinceMillis && !had.has(row.id));
      this.#deliver(late, true);
      this.#remember();
    };
    const timer = setTimeout(() => {
      if (this.#held === null) look().catch(() => undefined);
    }, limits.lookAgainMs);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
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
