import { Text } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { LogBuffer } from '../stream/log-buffer.ts';
import { getNextRow, getRowLine, getText } from '../text/log-chunk.ts';
import { cutLine } from '../text/long-lines.ts';
import type { LogAppearance } from './log-decorations.ts';
import { ShownRows } from './shown-rows.ts';

/** Max duration of one slice of work before the page can render and respond. */
const sliceMs = 12;
/** Max lines added to the text at once. */
const batchLines = 16_384;

export interface DocumentHooks {
  /** Appends lines to a text that is not empty. */
  readonly append: (lines: readonly string[]) => void;
  /** Called after the whole text was replaced because of a filter or a clear. */
  readonly onReplaced: () => void;
}

/**
 * The text of the view. Rows go through a queue and are added in slices of a few milliseconds, so
 * that a million of them do not block the page. A new text is built in the background and swapped
 * in at once, so that the old one stays readable until then.
 *
 * Characters are not copied: lines are slices of the buffer's chunks. Long ones are cut.
 */
export class LogDocument {
  readonly #view: EditorView;
  readonly #buffer: LogBuffer;
  readonly #hooks: DocumentHooks;
  readonly #appearance: LogAppearance;
  /** Pairs [from, to) still to be added. */
  #queue: number[] = [];
  #queueHead = 0;
  #built: { text: Text; shown: ShownRows } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(view: EditorView, buffer: LogBuffer, appearance: LogAppearance, hooks: DocumentHooks) {
    this.#view = view;
    this.#buffer = buffer;
    this.#appearance = appearance;
    this.#hooks = hooks;
  }

  /** Starts a new text. The old one stays until all rows pushed next are added. */
  startReplacement(): void {
    this.#queue = [];
    this.#queueHead = 0;
    this.#built = { text: Text.empty, shown: new ShownRows(this.#buffer) };
  }

  /** Adds ranges of rows as ascending pairs [from, to). */
  push(ranges: ArrayLike<number>): void {
    for (let index = 0; index < ranges.length; index += 1) this.#queue.push(ranges[index] ?? 0);
    if (this.#timer === undefined) this.#runSlice();
  }

  /** Removes the rows that the buffer dropped. */
  trim(): void {
    const { oldest } = this.#buffer;
    if (this.#built !== null) {
      const removed = this.#built.shown.removeBefore(oldest);
      if (removed > 0) this.#built.text = withoutFirstLines(this.#built.text, removed, this.#built.shown.lines);
    }
    const removed = this.#appearance.shown.removeBefore(oldest);
    if (removed === 0) return;
    const { doc } = this.#view.state;
    const to = this.#appearance.shown.lines === 0 ? doc.length : doc.line(removed + 1).from;
    this.#view.dispatch({ changes: { from: 0, to } });
  }

  /** Replaces a cut line (from 0) by the whole line, until the text is replaced. */
  showWholeLine(line: number): void {
    const shownLine = this.#appearance.shown.getLine(line);
    if (shownLine === null) return;
    const { chunk, index, lineOfRow } = shownLine;
    const { from, to } = this.#view.state.doc.line(line + 1);
    this.#view.dispatch({ changes: { from, to, insert: getRowLine(chunk, index, lineOfRow).text } });
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #runSlice(): void {
    this.#timer = undefined;
    const until = performance.now() + sliceMs;
    let isDone = false;
    do {
      isDone = this.#addBatch();
    } while (!isDone && performance.now() < until);
    if (!isDone) this.#timer = setTimeout(() => this.#runSlice(), 0);
    else if (this.#built !== null) this.#swap(this.#built);
  }

  /** Adds the next lines of the queue. Returns whether the queue is empty. */
  #addBatch(): boolean {
    const shown = this.#built?.shown ?? this.#appearance.shown;
    const isFirst = shown.lines === 0;
    const lines: string[] = [];
    while (lines.length < batchLines && this.#queueHead < this.#queue.length) this.#takeRows(shown, lines);
    const isDone = this.#queueHead >= this.#queue.length;
    if (isDone) {
      this.#queue = [];
      this.#queueHead = 0;
    }
    if (lines.length > 0) this.#addLines(lines, isFirst);
    return isDone;
  }

  #addLines(lines: string[], isFirst: boolean): void {
    if (this.#built === null && !isFirst) this.#hooks.append(lines);
    else if (this.#built === null) this.#replaceText(Text.of(lines));
    else if (isFirst) this.#built.text = Text.of(lines);
    // The empty first line becomes the line break between the two texts.
    else this.#built.text = this.#built.text.append(Text.of(['', ...lines]));
  }

  /** Moves rows of one chunk from the queue into `lines`. */
  #takeRows(shown: ShownRows, lines: string[]): void {
    const from = Math.max(this.#queue[this.#queueHead] ?? 0, this.#buffer.oldest);
    const to = this.#queue[this.#queueHead + 1] ?? 0;
    const chunk = from < to ? this.#buffer.findChunk(from) : undefined;
    if (chunk === undefined) {
      this.#queueHead += 2;
      return;
    }
    const rangeEnd = Math.min(to, getNextRow(chunk));
    this.#queue[this.#queueHead] = rangeEnd;
    if (rangeEnd >= to) this.#queueHead += 2;
    const start = from - chunk.first;
    const end = rangeEnd - chunk.first;
    shown.push(chunk, start, end);
    for (const line of getText(chunk, start, end).split('\n')) lines.push(cutLine(line));
  }

  #swap(built: { text: Text; shown: ShownRows }): void {
    this.#built = null;
    this.#appearance.shown = built.shown;
    this.#replaceText(built.text);
  }

  #replaceText(text: Text): void {
    this.#view.dispatch({
      changes: { from: 0, to: this.#view.state.doc.length, insert: text },
      selection: { anchor: 0 },
    });
    this.#hooks.onReplaced();
  }
}

function withoutFirstLines(text: Text, count: number, remaining: number): Text {
  return remaining === 0 ? Text.empty : text.slice(text.line(count + 1).from);
}
