import type { LogLevel } from '@portal/contract/logs';
import type { TimestampMode } from '../../format/instants.ts';
import { compilePattern, hidesRows, isSameQuery, type LogQuery, locateMatch, showAll } from '../search/log-query.ts';
import { LogSearcher, type SearchResult } from '../search/log-searcher.ts';
import { MatchList } from '../search/match-list.ts';
import type { LogBuffer } from '../stream/log-buffer.ts';
import { getKind, getText, isMarker, type LogRow } from '../text/log-chunk.ts';
import type { DownloadFormat } from '../text/log-download.ts';
import { type LogField, readFields } from '../text/log-fields.ts';
import { maxLineChars } from '../text/long-lines.ts';
import type { LogAppearance } from './log-decorations.ts';
import { LogDocument } from './log-document.ts';
import { LogEditor } from './log-editor.ts';
import { ShownRows } from './shown-rows.ts';

/** The state of the view. */
export interface ViewSnapshot {
  readonly isFollowing: boolean;
  /** Log records received since the view was paused. */
  readonly newRecords: number;
  readonly records: number;
  readonly shownRecords: number;
  readonly entriesByLevel: Readonly<Record<LogLevel, number>>;
  readonly droppedRecords: number;
  readonly canUndoClear: boolean;
  readonly matches: number;
  /** The position of the current match, from 1. */
  readonly matchRank: number | null;
  readonly isSearching: boolean;
  /** Why the search as typed is not applied. */
  readonly searchError: string | null;
  /** The fields of the JSON line that the user opened. */
  readonly openFields: readonly LogField[] | null;
}

export interface ViewHooks {
  /** Called before an operation on all received rows; waiting rows must be stored now. */
  readonly onCatchUp: () => void;
  readonly onChange: () => void;
  /** Something changed that may be published with a delay. */
  readonly onProgress: () => void;
}

/**
 * The received lines and what is shown of them:
 *
 *     rows → buffer ┬→ worker → rows to show, matches ┐
 *                   └───────── all rows ──────────────┴→ document → editor
 */
export class LogView {
  readonly #buffer: LogBuffer;
  readonly #matches = new MatchList();
  readonly #appearance: LogAppearance;
  readonly #editor: LogEditor;
  readonly #document: LogDocument;
  readonly #searcher: LogSearcher;
  readonly #hooks: ViewHooks;
  #query: LogQuery = showAll;
  /** Whether the document shows the worker's result rather than every row. */
  #isFiltered = false;
  #isSearching = false;
  #searchError: string | null = null;
  #openFields: readonly LogField[] | null = null;
  #openRow: number | null = null;
  /** Rows before this were added to the document, unless a filter is active. */
  #shownThrough = 0;
  #receivedAtPause = 0;
  /** The row at the top of a paused view, restored when the text is replaced. */
  #topRow: number | null = null;

  /** `show` shows the rows that the buffer already has. */
  constructor(parent: HTMLElement, buffer: LogBuffer, startNote: string | null, hooks: ViewHooks) {
    this.#buffer = buffer;
    this.#hooks = hooks;
    this.#shownThrough = buffer.visibleFrom;
    this.#appearance = {
      shown: new ShownRows(this.#buffer),
      timestamps: 'local',
      highlight: null,
      currentRow: null,
      // Not above lines that follow dropped or cleared ones.
      getStartNote: () => (buffer.visibleFrom === 0 ? startNote : null),
    };
    this.#editor = new LogEditor(parent, this.#appearance, {
      onPause: () => this.pause(),
      onResume: () => this.follow(),
      onShowAll: (line) => this.#document.showWholeLine(line),
      onShowFields: (line) => this.#showFields(line),
    });
    this.#document = new LogDocument(this.#editor.view, this.#buffer, this.#appearance, {
      append: (lines) => this.#editor.append(lines),
      onReplaced: () => this.#onReplaced(),
    });
    this.#searcher = new LogSearcher(
      this.#buffer,
      (result) => this.#handleResult(result),
      () => this.#onSearchTimeout(),
    );
    this.#searcher.feed(buffer.chunks);
  }

  dispose(): void {
    this.#searcher.dispose();
    this.#document.dispose();
    this.#editor.destroy();
  }

  /** Stores rows in the buffer and sends them to the worker. */
  store(rows: readonly LogRow[]): void {
    this.#searcher.feed(this.#buffer.append(rows));
  }

  /** Shows the stored rows and drops those beyond the limits. */
  show(): void {
    if (!this.#isFiltered && this.#shownThrough < this.#buffer.next) {
      this.#document.push([this.#shownThrough, this.#buffer.next]);
    }
    this.#shownThrough = this.#buffer.next;
    if (this.#buffer.trim()) {
      this.#searcher.drop(this.#buffer.oldest);
      this.#matches.removeBefore(this.#buffer.oldest);
      this.#document.trim();
      this.#editor.scrollIfFollowing();
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

  /** Scrolls to the first shown line. */
  scrollToStart(): void {
    this.pause();
    this.#editor.scrollLineToTop(0);
  }

  /**
   * Scrolls to the first shown line from a time on, if there is a record between the two (epoch
   * milliseconds). Returns whether there is.
   */
  scrollToTime(fromMs: number, beforeMs: number): boolean {
    this.#hooks.onCatchUp();
    const row = this.#findRow((ms) => ms >= fromMs && ms < beforeMs);
    const line = row === null ? null : this.#appearance.shown.findLine(row);
    if (line === null) return false;
    this.pause();
    this.#editor.scrollLineToTop(line);
    return true;
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

  /** The selected lines with time and level, or the visible ones when nothing is selected. */
  getSelectedText(): string {
    return this.#editor.getSelectedText();
  }

  focus(): void {
    this.#editor.focus();
  }

  wrap(isWrapped: boolean): void {
    this.#editor.wrap(isWrapped);
  }

  showTimestamps(mode: TimestampMode): void {
    this.#appearance.timestamps = mode;
    this.#editor.redraw();
    this.#editor.scrollIfFollowing();
  }

  /** Applies a query. Reports an invalid pattern and keeps the last valid one. */
  search(query: LogQuery): void {
    const compiled = query.pattern === null ? null : compilePattern(query.pattern);
    this.#searchError = compiled !== null && 'error' in compiled ? compiled.error : null;
    const next = this.#searchError === null ? query : { ...query, pattern: this.#query.pattern };
    this.#hooks.onCatchUp();
    if (isSameQuery(next, this.#query)) {
      this.#hooks.onChange();
      return;
    }
    this.#query = next;
    this.#restart();
  }

  /** Jumps to the next or previous match, from the current match or else from the visible lines. */
  jump(direction: 'next' | 'previous'): void {
    const shown = this.#appearance.shown;
    const visibleLine = shown.getLine(this.#editor.isFollowing ? shown.lines - 1 : this.#editor.topLine());
    const from =
      this.#appearance.currentRow ??
      (visibleLine === null ? 0 : visibleLine.chunk.first + visibleLine.index + (direction === 'next' ? -1 : 1));
    const row = direction === 'next' ? this.#matches.findAfter(from) : this.#matches.findBefore(from);
    const line = row === null ? null : shown.findLine(row);
    if (row === null || line === null) return;
    this.pause();
    this.#appearance.currentRow = row;
    this.#editor.redraw();
    const chunk = this.#buffer.findChunk(row);
    const text = chunk ? getText(chunk, row - chunk.first, row - chunk.first + 1) : '';
    const position = locateMatch(text, this.#appearance.highlight?.regExp);
    if (position.column >= maxLineChars - 1) this.#document.showWholeLine(line + position.line);
    this.#editor.scrollToPosition(line + position.line, position.column);
    this.#hooks.onChange();
  }

  /** Creates a file of all lines or of the shown ones. */
  download(scope: 'all' | 'shown', format: DownloadFormat): Promise<Blob> {
    this.#hooks.onCatchUp();
    const query = scope === 'all' ? null : this.#query;
    return this.#searcher.download({
      query,
      from: this.#buffer.visibleFrom,
      format,
      timestamps: this.#appearance.timestamps,
    });
  }

  snapshot(): ViewSnapshot {
    const { visible } = this.#buffer;
    const { isFollowing } = this.#editor;
    return {
      isFollowing,
      newRecords: isFollowing ? 0 : this.#received - this.#receivedAtPause,
      records: visible.records,
      shownRecords: this.#appearance.shown.records,
      entriesByLevel: { ...visible.entriesByLevel },
      droppedRecords: this.#buffer.droppedRecords,
      canUndoClear: this.#buffer.canUndoClear,
      matches: this.#matches.count,
      matchRank: this.#appearance.currentRow === null ? null : this.#matches.getRank(this.#appearance.currentRow),
      isSearching: this.#isSearching,
      searchError: this.#searchError,
      openFields: this.#openFields,
    };
  }

  closeFields(): void {
    this.#openFields = null;
    this.focus();
    this.#hooks.onChange();
  }

  /** Scrolls to the line whose fields are open. */
  scrollToFields(): void {
    const line = this.#openRow === null ? null : this.#appearance.shown.findLine(this.#openRow);
    if (line !== null) this.#editor.scrollToPosition(line, 0);
  }

  #showFields(line: number): void {
    const shownLine = this.#appearance.shown.getLine(line);
    if (shownLine === null) return;
    const { chunk, index } = shownLine;
    this.#openFields = readFields(getText(chunk, index, index + 1));
    this.#openRow = chunk.first + index;
    // The line stays where it is while its fields are read.
    this.pause();
    this.#hooks.onChange();
  }

  /** Returns the first visible record whose time (epoch milliseconds) matches; null for none. */
  #findRow(matches: (ms: number) => boolean): number | null {
    for (const chunk of this.#buffer.chunks) {
      const index = chunk.millis.findIndex(
        (ms, at) => matches(ms) && chunk.first + at >= this.#buffer.visibleFrom && !isMarker(getKind(chunk, at)),
      );
      if (index >= 0) return chunk.first + index;
    }
    return null;
  }

  get #received(): number {
    return this.#buffer.visible.records + this.#buffer.clearedRecords + this.#buffer.droppedRecords;
  }

  /** Filters and shows all rows again. */
  #restart(): void {
    const from = this.#buffer.visibleFrom;
    const isPlain = !hidesRows(this.#query) && this.#query.pattern === null;
    this.#searcher.setQuery(isPlain ? null : this.#query, from);
    this.#isSearching = !isPlain;
    const wasFiltered = this.#isFiltered;
    this.#isFiltered = hidesRows(this.#query);
    if (isPlain) this.#showMatches(new Float64Array());
    if (!this.#isFiltered) {
      const first = this.#appearance.shown.getLine(0);
      const showsAll = !wasFiltered && first !== null && first.chunk.first + first.index === from;
      if (!showsAll) {
        this.#startDocument();
        this.#document.push([from, this.#buffer.next]);
      }
    }
    this.#hooks.onChange();
  }

  #handleResult(result: SearchResult): void {
    if (this.#isSearching) {
      this.#isSearching = false;
      this.#showMatches(result.matches);
      if (this.#isFiltered) this.#startDocument();
      this.#hooks.onChange();
    } else {
      this.#matches.add(result.matches);
      this.#hooks.onProgress();
    }
    if (this.#isFiltered) this.#document.push(result.keptRanges);
    else if (result.matches.length > 0) this.#editor.redraw();
  }

  #showMatches(matches: Float64Array): void {
    const compiled = this.#query.pattern === null ? null : compilePattern(this.#query.pattern);
    this.#matches.removeBefore(Number.POSITIVE_INFINITY);
    this.#matches.add(matches);
    this.#appearance.currentRow = null;
    this.#appearance.highlight =
      compiled !== null && 'regExp' in compiled
        ? { regExp: compiled.regExp, hasMatch: (row) => this.#matches.has(row) }
        : null;
    this.#editor.redraw();
  }

  #onSearchTimeout(): void {
    this.#query = { ...this.#query, pattern: null };
    this.#searchError = 'The search was stopped because this expression takes too long on these lines.';
    this.#restart();
  }

  #startDocument(): void {
    const top = this.#editor.isFollowing ? null : this.#appearance.shown.getLine(this.#editor.topLine());
    this.#topRow = top === null ? null : top.chunk.first + top.index;
    this.#document.startReplacement();
  }

  #onReplaced(): void {
    const line = this.#topRow === null ? null : this.#appearance.shown.findLine(this.#topRow);
    if (line !== null) this.#editor.scrollLineToTop(line);
    this.#editor.scrollIfFollowing();
    this.#hooks.onChange();
  }
}
