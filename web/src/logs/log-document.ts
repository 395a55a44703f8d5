import { Text } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { LogBuffer } from './log-buffer.ts';
import { nextRowAfter, textBetween } from './log-chunk.ts';
import type { LogLook } from './log-decorations.ts';
import { ShownRows } from './shown-rows.ts';

/** Work on the document goes on for so long before the page may draw and answer again. */
const stretchMs = 12;
/** Pieces of the text are made from so many lines at a time. */
const pieceLines = 16_384;

export interface DocumentHooks {
  /** Puts lines behind the last one; the text is not empty. */
  readonly append: (lines: readonly string[]) => void;
  /** The text is another one altogether: the filter has changed, or the log was cleared. */
  readonly onReplaced: () => void;
}

/**
 * The text of the view, made of the rows it is told to show. Rows go through a queue and are added
 * for a few milliseconds at a time, so that a million of them hold nothing up; a new text is built
 * out of sight and swapped in whole, so that the old one stays readable until then.
 *
 * The characters are not copied: lines are slices of the buffer's chunks.
 */
export class LogDocument {
  readonly #view: EditorView;
  readonly #buffer: LogBuffer;
  readonly #hooks: DocumentHooks;
  readonly #look: LogLook;
  /** Pairs [from, to) still to be added. */
  #queue: number[] = [];
  #queueHead = 0;
  #built: { text: Text; shown: ShownRows } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(view: EditorView, buffer: LogBuffer, look: LogLook, hooks: DocumentHooks) {
    this.#view = view;
    this.#buffer = buffer;
    this.#look = look;
    this.#hooks = hooks;
  }

  /** Begins a new text; the old one stays until what is pushed next is all in. */
  begin(): void {
    this.#queue = [];
    this.#queueHead = 0;
    this.#built = { text: Text.empty, shown: new ShownRows(this.#buffer) };
  }

  /** Adds ranges of rows, as pairs [from, to), ascending. */
  push(ranges: ArrayLike<number>): void {
    for (let index = 0; index < ranges.length; index += 1) this.#queue.push(ranges[index] ?? 0);
    if (this.#timer === undefined) this.#work();
  }

  /** Takes out the rows the buffer no longer has. */
  trim(): void {
    const { oldest } = this.#buffer;
    if (this.#built !== null) {
      const removed = this.#built.shown.removeBefore(oldest);
      if (removed > 0) this.#built.text = withoutFirstLines(this.#built.text, removed, this.#built.shown.lines);
    }
    const removed = this.#look.shown.removeBefore(oldest);
    if (removed === 0) return;
    const { doc } = this.#view.state;
    const to = this.#look.shown.lines === 0 ? doc.length : doc.line(removed + 1).from;
    this.#view.dispatch({ changes: { from: 0, to } });
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #work(): void {
    this.#timer = undefined;
    const until = performance.now() + stretchMs;
    let isDone = false;
    do {
      isDone = this.#addPiece();
    } while (!isDone && performance.now() < until);
    if (!isDone) this.#timer = setTimeout(() => this.#work(), 0);
    else if (this.#built !== null) this.#swap(this.#built);
  }

  /** Adds the next lines of the queue; answers whether nothing is left. */
  #addPiece(): boolean {
    const shown = this.#built?.shown ?? this.#look.shown;
    const isFirst = shown.lines === 0;
    const lines: string[] = [];
    while (lines.length < pieceLines && this.#queueHead < this.#queue.length) this.#takeRows(shown, lines);
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
    // A text that is put behind another begins with an empty line: the break between the two.
    else this.#built.text = this.#built.text.append(Text.of(['', ...lines]));
  }

  /** Moves rows of one chunk from the queue into `lines`. */
  #takeRows(shown: ShownRows, lines: string[]): void {
    const from = Math.max(this.#queue[this.#queueHead] ?? 0, this.#buffer.oldest);
    const to = this.#queue[this.#queueHead + 1] ?? 0;
    const chunk = from < to ? this.#buffer.chunkOf(from) : undefined;
    if (chunk === undefined) {
      this.#queueHead += 2;
      return;
    }
    const rangeEnd = Math.min(to, nextRowAfter(chunk));
    this.#queue[this.#queueHead] = rangeEnd;
    if (rangeEnd >= to) this.#queueHead += 2;
    const start = from - chunk.first;
    const end = rangeEnd - chunk.first;
    shown.push(chunk, start, end);
    for (const line of textBetween(chunk, start, end).split('\n')) lines.push(line);
  }

  #swap(built: { text: Text; shown: ShownRows }): void {
    this.#built = null;
    this.#look.shown = built.shown;
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

function withoutFirstLines(text: Text, count: number, left: number): Text {
  return left === 0 ? Text.empty : text.slice(text.line(count + 1).from);
}
