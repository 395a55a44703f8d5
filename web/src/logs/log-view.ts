import type { LogLevel } from '@portal/contract/logs';
import type { TimestampMode } from '../lib/format.ts';
import { defaultLimits, LogBuffer } from './log-buffer.ts';
import { type LogRow, textBetween } from './log-chunk.ts';
import type { LogLook } from './log-decorations.ts';
import { LogDocument } from './log-document.ts';
import type { DownloadFormat } from './log-download.ts';
import { LogEditor } from './log-editor.ts';
import { compilePattern, hidesRows, isSameQuery, type LogQuery, placeOfMatch, showAll } from './log-query.ts';
import { type Judged, LogSearcher } from './log-searcher.ts';
import { MatchList } from './match-list.ts';
import { ShownRows } from './shown-rows.ts';

/** What the page says about the lines. */
export interface ViewSnapshot {
  readonly isFollowing: boolean;
  /** Log records that came since the view was paused. */
  readonly newRecords: number;
  readonly records: number;
  readonly shownRecords: number;
  readonly entriesByLevel: Readonly<Record<LogLevel, number>>;
  readonly droppedRecords: number;
  readonly canUndoClear: boolean;
  readonly matches: number;
  /** Which match is the one jumped to, from 1. */
  readonly matchRank: number | null;
  readonly isSearching: boolean;
  /** Why the search as typed is not the one in force. */
  readonly searchFault: string | null;
}

export interface ViewHooks {
  /** Rows that wait somewhere are to be stored now: what follows is about all that has come. */
  readonly onCatchUp: () => void;
  readonly onChange: () => void;
  /** Something has changed that may be said a little later. */
  readonly onProgress: () => void;
}

/**
 * The lines that have come and what is seen of them:
 *
 *     rows → buffer ┬→ worker → rows to show, matches ┐
 *                   └───────── all rows ──────────────┴→ document → editor
 */
export class LogView {
  readonly #buffer = new LogBuffer(defaultLimits);
  readonly #matches = new MatchList();
  readonly #look: LogLook;
  readonly #editor: LogEditor;
  readonly #document: LogDocument;
  readonly #searcher: LogSearcher;
  readonly #hooks: ViewHooks;
  #query: LogQuery = showAll;
  /** The document shows what the worker keeps, rather than every row. */
  #isFiltered = false;
  #isSearching = false;
  #searchFault: string | null = null;
  /** Rows before this were handed to the document, unless a filter is between. */
  #shownThrough = 0;
  #receivedAtPause = 0;
  /** The row at the top of a paused view, kept there when the text is replaced. */
  #topRow: number | null = null;

  constructor(parent: HTMLElement, hooks: ViewHooks) {
    this.#hooks = hooks;
    this.#look = { shown: new ShownRows(this.#buffer), timestamps: 'local', highlight: null, currentRow: null };
    this.#editor = new LogEditor(parent, this.#look, {
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
  }

  dispose(): void {
    this.#searcher.dispose();
    this.#document.dispose();
    this.#editor.destroy();
  }

  /** Takes rows into the buffer and to the worker. */
  store(rows: readonly LogRow[]): void {
    this.#searcher.feed(this.#buffer.append(rows));
  }

  /** Shows what was stored, and forgets what is beyond the limits. */
  show(): void {
    if (!this.#isFiltered && this.#shownThrough < this.#buffer.next) {
      this.#document.push([this.#shownThrough, this.#buffer.next]);
    }
    this.#shownThrough = this.#buffer.next;
    if (this.#buffer.trim()) {
      this.#searcher.drop(this.#buffer.oldest);
      this.#matches.removeBefore(this.#buffer.oldest);
      this.#document.trim();
      this.#editor.keepUp();
    }
  }

  pause(): void {
    if (!this.#editor.isFollowing) return;
    this.#receivedAtPause = this.#received;
    this.#editor.follow(false);
    this.#hooks.onChange();
  }

  follow(): void {
    this.#hooks.onCatchUp();
    this.#editor.follow(true);
    this.#hooks.onChange();
  }

  /** To the first line that is shown. */
  toStart(): void {
    this.pause();
    this.#editor.showAtTop(0);
  }

  clear(): void {
    this.#hooks.onCatchUp();
    this.#buffer.clear();
    this.#editor.follow(true);
    this.#restart();
  }

  undoClear(): void {
    this.#hooks.onCatchUp();
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

  /**
   * Shows and marks what the query says; an invalid pattern is told of, and the last valid one
   * stays.
   */
  search(query: LogQuery): void {
    const compiled = query.pattern === null ? null : compilePattern(query.pattern);
    this.#searchFault = compiled !== null && 'fault' in compiled ? compiled.fault : null;
    const next = this.#searchFault === null ? query : { ...query, pattern: this.#query.pattern };
    this.#hooks.onCatchUp();
    if (isSameQuery(next, this.#query)) {
      this.#hooks.onChange();
      return;
    }
    this.#query = next;
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
    const chunk = this.#buffer.chunkOf(row);
    const text = chunk ? textBetween(chunk, row - chunk.first, row - chunk.first + 1) : '';
    const place = placeOfMatch(text, this.#look.highlight?.regExp);
    this.#editor.showPlace(line + place.line, place.column);
    this.#hooks.onChange();
  }

  /** A file of all lines, or of those shown. */
  download(what: 'all' | 'shown', format: DownloadFormat): Promise<Blob> {
    this.#hooks.onCatchUp();
    const query = what === 'all' ? null : this.#query;
    return this.#searcher.download({
      query,
      from: this.#buffer.visibleFrom,
      format,
      timestamps: this.#look.timestamps,
    });
  }

  snapshot(): ViewSnapshot {
    const { visible } = this.#buffer;
    const { isFollowing } = this.#editor;
    return {
      isFollowing,
      newRecords: isFollowing ? 0 : this.#received - this.#receivedAtPause,
      records: visible.records,
      shownRecords: this.#look.shown.records,
      entriesByLevel: { ...visible.entriesByLevel },
      droppedRecords: this.#buffer.droppedRecords,
      canUndoClear: this.#buffer.canUndoClear,
      matches: this.#matches.count,
      matchRank: this.#look.currentRow === null ? null : this.#matches.rankOf(this.#look.currentRow),
      isSearching: this.#isSearching,
      searchFault: this.#searchFault,
    };
  }

  get #received(): number {
    return this.#buffer.visible.records + this.#buffer.clearedRecords + this.#buffer.droppedRecords;
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
    this.#hooks.onChange();
  }

  #take(judged: Judged): void {
    if (this.#isSearching) {
      this.#isSearching = false;
      this.#showMatches(judged.matches);
      if (this.#isFiltered) this.#beginDocument();
      this.#hooks.onChange();
    } else {
      this.#matches.add(judged.matches);
      this.#hooks.onProgress();
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
    this.#hooks.onChange();
  }
}
