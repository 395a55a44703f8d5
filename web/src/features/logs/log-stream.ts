import type { LogLevel } from '@portal/contract/logs';
import { createStore, type Store } from '../../lib/store.ts';
import { defaultLimits, LogBuffer } from './log-buffer.ts';
import { type LogRow, textBetween } from './log-chunk.ts';
import { type Connection, type ConnectionPhase, closedConnection } from './log-connection.ts';
import type { LogLook } from './log-decorations.ts';
import { LogDocument } from './log-document.ts';
import type { DownloadFormat } from './log-download.ts';
import { LogEditor } from './log-editor.ts';
import type { TimestampMode } from './log-format.ts';
import { compilePattern, hidesRows, type LogQuery, showAll } from './log-query.ts';
import { type Judged, LogSearcher } from './log-searcher.ts';
import { LogSocket } from './log-socket.ts';
import { MatchList } from './match-list.ts';
import { ShownRows } from './shown-rows.ts';

/** What the page says about the stream; a new object whenever something of it has changed. */
export interface StreamSnapshot {
  readonly phase: ConnectionPhase;
  readonly message: string;
  /** Epoch milliseconds of the next attempt, of the page or of the portal; null when none is due. */
  readonly retryAt: number | null;
  readonly isFollowing: boolean;
  /** Log records that came since the view was paused. */
  readonly newRecords: number;
  readonly records: number;
  readonly shownRecords: number;
  readonly entriesByLevel: Readonly<Record<LogLevel, number>>;
  readonly droppedRecords: number;
  /** Lines known to be missing, and gaps of which nobody knows the size. */
  readonly lostLines: number;
  readonly unknownGaps: number;
  readonly canUndoClear: boolean;
  readonly matches: number;
  /** Which match is the one jumped to, from 1. */
  readonly matchRank: number | null;
  readonly isSearching: boolean;
  /** Why the search as typed is not the one in force. */
  readonly searchFault: string | null;
}

/** Lines reach the view in one step about this often: per frame it would cost several times the work. */
const flushMs = 100;
/** More rows than this do not wait to be stored, so that no step gets long. */
const storeRows = 4000;
const publishMs = 250;

export interface StreamOptions {
  readonly appId: string;
  readonly baseUrl: string;
  readonly parent: HTMLElement;
  readonly onClosed: (code: number) => void;
}

/**
 * The life of one log on the page:
 *
 *     socket → rows that wait → buffer ┬→ worker → rows to show, matches ┐
 *                                      └───────── all rows ──────────────┴→ document → view
 */
export class LogStream {
  readonly snapshot: Store<StreamSnapshot>;
  readonly #buffer = new LogBuffer(defaultLimits);
  readonly #matches = new MatchList();
  readonly #look: LogLook;
  readonly #editor: LogEditor;
  readonly #document: LogDocument;
  readonly #searcher: LogSearcher;
  readonly #socket: LogSocket;
  #waiting: LogRow[] = [];
  #flushTimer: ReturnType<typeof setTimeout> | undefined;
  #publishTimer: ReturnType<typeof setTimeout> | undefined;
  #query: LogQuery = showAll;
  /** The document shows what the worker keeps, rather than every row. */
  #isFiltered = false;
  #isSearching = false;
  #searchFault: string | null = null;
  #retryAt: number | null = null;
  /** Rows before this were handed to the document, unless a filter is between. */
  #shownThrough = 0;
  #pausedAt = 0;
  /** The row at the top of a paused view, kept there when the text is replaced. */
  #topRow: number | null = null;
  #lostLines = 0;
  #unknownGaps = 0;

  constructor(options: StreamOptions) {
    this.#look = { shown: new ShownRows(this.#buffer), timestamps: 'local', highlight: null, currentRow: null };
    this.#editor = new LogEditor(options.parent, this.#look, {
      onPause: () => this.pause(),
      onResume: () => this.follow(),
    });
    this.#document = new LogDocument(this.#editor.view, this.#buffer, this.#look, {
      append: (lines) => this.#editor.append(lines),
      onReplaced: () => this.#onReplaced(),
    });
    this.#searcher = new LogSearcher(
      this.#buffer,
      (judged) => this.#take(judged),
      () => this.#onHang(),
    );
    this.#socket = new LogSocket(options.appId, options.baseUrl, {
      onLines: (lines) => {
        for (const [millis, key, value] of lines) this.#waiting.push({ millis, key, value });
        this.#expectFlush();
      },
      onMarker: (marker, value, lines) => {
        this.#waiting.push({ millis: Date.now(), marker, value });
        if (marker === 'gap' && lines === null) this.#unknownGaps += 1;
        this.#lostLines += lines ?? 0;
        this.#expectFlush();
      },
      onChange: (connection) => this.#onChange(connection),
      onClosed: options.onClosed,
    });
    this.snapshot = createStore(this.#describe(closedConnection));
  }

  play(): void {
    this.follow();
    this.#socket.send({ type: 'play' });
  }

  stop(): void {
    this.#socket.send({ type: 'stop' });
  }

  dispose(): void {
    this.#socket.dispose();
    clearTimeout(this.#flushTimer);
    clearTimeout(this.#publishTimer);
    this.#searcher.dispose();
    this.#document.dispose();
    this.#editor.destroy();
  }

  pause(): void {
    if (!this.#editor.isFollowing) return;
    this.#pausedAt = this.#received;
    this.#editor.follow(false);
    this.#publish();
  }

  follow(): void {
    this.#flush();
    this.#editor.follow(true);
    this.#publish();
  }

  /** To the first line that is shown. */
  toStart(): void {
    this.pause();
    this.#editor.showAtTop(0);
  }

  clear(): void {
    this.#flush();
    this.#buffer.clear();
    this.#editor.follow(true);
    this.#restart();
  }

  undoClear(): void {
    this.#flush();
    this.#buffer.undoClear();
    this.#restart();
  }

  wrap(isWrapped: boolean): void {
    this.#editor.wrap(isWrapped);
  }

  showTimestamps(mode: TimestampMode): void {
    this.#look.timestamps = mode;
    this.#editor.redraw();
    this.#editor.keepUp();
  }

  /** Shows and marks what the query says; an invalid pattern is told of, and the last valid one stays. */
  search(query: LogQuery): void {
    const compiled = query.pattern === null ? null : compilePattern(query.pattern);
    this.#searchFault = compiled !== null && 'fault' in compiled ? compiled.fault : null;
    this.#query = this.#searchFault === null ? query : { ...query, pattern: this.#query.pattern };
    this.#flush();
    this.#restart();
  }

  /** Goes to the match behind or before the one at hand, or behind or before what is seen. */
  jump(direction: 'next' | 'previous'): void {
    const shown = this.#look.shown;
    const seen = shown.lineAt(this.#editor.isFollowing ? shown.lines - 1 : this.#editor.topLine());
    const from =
      this.#look.currentRow ?? (seen === null ? 0 : seen.chunk.first + seen.index + (direction === 'next' ? -1 : 1));
    const row = direction === 'next' ? this.#matches.after(from) : this.#matches.before(from);
    const line = row === null ? null : shown.lineOf(row);
    if (row === null || line === null) return;
    this.pause();
    this.#look.currentRow = row;
    this.#editor.redraw();
    const place = this.#placeOfMatch(row);
    this.#editor.showPlace(line + place.line, place.column);
    this.#publish();
  }

  /** A file of all lines, or of those shown. */
  download(what: 'all' | 'shown', format: DownloadFormat): Promise<Blob> {
    this.#flush();
    const query = what === 'all' ? null : this.#query;
    return this.#searcher.download({
      query,
      from: this.#buffer.visibleFrom,
      format,
      timestamps: this.#look.timestamps,
    });
  }

  get #received(): number {
    return this.#buffer.visible.records + this.#buffer.clearedRecords + this.#buffer.droppedRecords;
  }

  #onChange(connection: Connection): void {
    this.#retryAt = connection.waitMs === null ? null : Date.now() + connection.waitMs;
    this.#publish();
  }

  #expectFlush(): void {
    if (this.#waiting.length >= storeRows) this.#store();
    this.#flushTimer ??= setTimeout(() => this.#flush(), flushMs);
  }

  /** Takes the waiting rows into the buffer and to the worker. */
  #store(): void {
    if (this.#waiting.length === 0) return;
    const chunks = this.#buffer.append(this.#waiting);
    this.#waiting = [];
    this.#searcher.feed(chunks);
  }

  /** Brings the view up to what has come. */
  #flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    this.#store();
    if (!this.#isFiltered && this.#shownThrough < this.#buffer.next) {
      this.#document.push([this.#shownThrough, this.#buffer.next]);
    }
    this.#shownThrough = this.#buffer.next;
    if (this.#buffer.trim()) {
      this.#searcher.drop(this.#buffer.oldest);
      this.#matches.removeBefore(this.#buffer.oldest);
      this.#document.trim();
    }
    this.#publishSoon();
  }

  /** Judges and shows everything anew. */
  #restart(): void {
    const from = this.#buffer.visibleFrom;
    const isPlain = this.#query.levels === null && this.#query.pattern === null;
    this.#searcher.ask(isPlain ? null : this.#query, from);
    this.#isSearching = !isPlain;
    const wasFiltered = this.#isFiltered;
    this.#isFiltered = hidesRows(this.#query);
    if (isPlain) this.#showMatches(new Float64Array());
    if (!this.#isFiltered) {
      const first = this.#look.shown.lineAt(0);
      const showsAll = !wasFiltered && first !== null && first.chunk.first + first.index === from;
      if (!showsAll) {
        this.#beginDocument();
        this.#document.push([from, this.#buffer.next]);
      }
    }
    this.#publish();
  }

  #take(judged: Judged): void {
    if (this.#isSearching) {
      this.#isSearching = false;
      this.#showMatches(judged.matches);
      if (this.#isFiltered) this.#beginDocument();
      this.#publish();
    } else {
      this.#matches.add(judged.matches);
      this.#publishSoon();
    }
    if (this.#isFiltered) this.#document.push(judged.kept);
    else if (judged.matches.length > 0) this.#editor.redraw();
  }

  #showMatches(matches: Float64Array): void {
    const compiled = this.#query.pattern === null ? null : compilePattern(this.#query.pattern);
    this.#matches.removeBefore(Number.POSITIVE_INFINITY);
    this.#matches.add(matches);
    this.#look.currentRow = null;
    this.#look.highlight =
      compiled !== null && 'regExp' in compiled
        ? { regExp: compiled.regExp, has: (row) => this.#matches.has(row) }
        : null;
    this.#editor.redraw();
  }

  #onHang(): void {
    this.#query = { ...this.#query, pattern: null };
    this.#searchFault = 'This expression takes too long on these lines; the search was stopped.';
    this.#restart();
  }

  #beginDocument(): void {
    const top = this.#editor.isFollowing ? null : this.#look.shown.lineAt(this.#editor.topLine());
    this.#topRow = top === null ? null : top.chunk.first + top.index;
    this.#document.begin();
  }

  #onReplaced(): void {
    const line = this.#topRow === null ? null : this.#look.shown.lineOf(this.#topRow);
    if (line !== null) this.#editor.showAtTop(line);
    this.#editor.keepUp();
    this.#publish();
  }

  /** Where in a row, which may have several lines, the match is. */
  #placeOfMatch(row: number): { line: number; column: number } {
    const chunk = this.#buffer.chunkOf(row);
    const regExp = this.#look.highlight?.regExp;
    if (chunk === undefined || regExp === undefined) return { line: 0, column: 0 };
    const text = textBetween(chunk, row - chunk.first, row - chunk.first + 1);
    regExp.lastIndex = 0;
    const before = text.slice(0, regExp.exec(text)?.index ?? 0).split('\n');
    return { line: before.length - 1, column: before.at(-1)?.length ?? 0 };
  }

  #publishSoon(): void {
    this.#publishTimer ??= setTimeout(() => this.#publish(), publishMs);
  }

  #publish(): void {
    clearTimeout(this.#publishTimer);
    this.#publishTimer = undefined;
    this.snapshot.set(this.#describe(this.#socket.connection));
  }

  #describe({ phase, message }: Connection): StreamSnapshot {
    const { visible } = this.#buffer;
    return {
      phase,
      message,
      retryAt: this.#retryAt,
      isFollowing: this.#editor.isFollowing,
      newRecords: this.#editor.isFollowing ? 0 : this.#received - this.#pausedAt,
      records: visible.records,
      shownRecords: this.#look.shown.records,
      entriesByLevel: { ...visible.entriesByLevel },
      droppedRecords: this.#buffer.droppedRecords,
      lostLines: this.#lostLines,
      unknownGaps: this.#unknownGaps,
      canUndoClear: this.#buffer.canUndoClear,
      matches: this.#matches.count,
      matchRank: this.#look.currentRow === null ? null : this.#matches.rankOf(this.#look.currentRow),
      isSearching: this.#isSearching,
      searchFault: this.#searchFault,
    };
  }
}
