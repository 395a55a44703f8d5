import { type Extension, StateEffect } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view';
import { formatFullTimestamp, formatTimestamp, type TimestampMode } from '../lib/format.ts';
import { gapBit, isContinuation, isMarker, keyOfRow, kindOf, levelOfKind, millisOfRow } from './log-chunk.ts';
import { levelWordOf } from './log-format.ts';
import styles from './log-view.module.css';
import type { ShownLine, ShownRows } from './shown-rows.ts';

/** What the lines look like now; read whenever they are drawn. */
export interface LogLook {
  /** The rows the text is made of; changed together with it. */
  shown: ShownRows;
  timestamps: TimestampMode;
  /**
   * Marks what matches, in rows of which it is known that they do: an expression is not tried on
   * others.
   */
  highlight: { readonly regExp: RegExp; readonly has: (row: number) => boolean } | null;
  /** The match one has jumped to. */
  currentRow: number | null;
}

/** Draw again: the look has changed. */
export const redraw = StateEffect.define<null>();

const levelClass = { info: styles.info, warning: styles.warning, severe: styles.severe, error: styles.error } as const;
const mostMarksOfLine = 200;

/**
 * Time, level, edge and search marks, made for the lines on the screen only and not part of the
 * text.
 */
export function logDecorations(look: LogLook): Extension {
  const draw = (view: EditorView) => Decoration.set(drawLines(view, look), true);
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = draw(view);
      }
      update(update: ViewUpdate) {
        const isTold = update.transactions.some((transaction) =>
          transaction.effects.some((effect) => effect.is(redraw)),
        );
        if (update.docChanged || update.viewportChanged || isTold) this.decorations = draw(update.view);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}

function drawLines(view: EditorView, look: LogLook) {
  const { shown } = look;
  const now = Date.now();
  const ranges = [];
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at);
      const what = shown.lineAt(line.number - 1);
      if (what !== null) {
        const row = what.chunk.first + what.index;
        const kind = kindOf(what.chunk, what.index);
        const isFirst = what.lineOfRow === 0 && !isContinuation(kind);
        ranges.push(Decoration.line({ class: classOf(kind, isFirst, row === look.currentRow) }).range(line.from));
        if (isFirst) {
          const widget = new PrefixWidget(what, kind, look.timestamps, now);
          ranges.push(Decoration.widget({ widget, side: -1 }).range(line.from));
        }
        if (look.highlight?.has(row)) {
          for (const [start, end] of findIn(line.text, look.highlight.regExp)) {
            ranges.push(matchMark.range(line.from + start, line.from + end));
          }
        }
      }
      at = line.to + 1;
    }
  }
  return ranges;
}

const matchMark = Decoration.mark({ class: styles.match ?? '' });

function classOf(kind: number, isFirst: boolean, isCurrent: boolean): string {
  const level = isMarker(kind) ? (kind & gapBit ? styles.gap : styles.note) : levelClass[levelOfKind(kind)];
  return [level, isFirst ? styles.first : styles.trace, isCurrent ? styles.current : ''].join(' ');
}

function findIn(text: string, regExp: RegExp): [start: number, end: number][] {
  const found: [number, number][] = [];
  regExp.lastIndex = 0;
  for (const match of text.matchAll(regExp)) {
    if (match[0] !== '') found.push([match.index, match.index + match[0].length]);
    if (found.length >= mostMarksOfLine) break;
  }
  return found;
}

/** Time and level word in front of the first line of a row. */
class PrefixWidget extends WidgetType {
  readonly #time: string;
  readonly #word: string;
  readonly #title: string;

  constructor({ chunk, index }: ShownLine, kind: number, timestamps: TimestampMode, now: number) {
    super();
    const millis = millisOfRow(chunk, index);
    this.#time = formatTimestamp(millis, timestamps, now);
    this.#word = isMarker(kind) ? '' : levelWordOf(keyOfRow(chunk, index));
    this.#title = `${formatFullTimestamp(millis, 'local')} local, ${formatFullTimestamp(millis, 'utc')}`;
  }

  override eq(other: PrefixWidget): boolean {
    return this.#title === other.#title && this.#word === other.#word && this.#time === other.#time;
  }

  override toDOM(): HTMLElement {
    const prefix = document.createElement('span');
    prefix.className = styles.prefix ?? '';
    prefix.title = this.#title;
    if (this.#time !== '') {
      const [time = '', millis = ''] = this.#time.split('.');
      const element = part('quiet', time);
      element.append(part(styles.millis, `.${millis}`));
      prefix.append(element, ' ');
    }
    prefix.append(part(styles.word, this.#word), ' ');
    return prefix;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

function part(className: string | undefined, text: string): HTMLElement {
  const element = document.createElement('span');
  element.className = className ?? '';
  element.textContent = text;
  return element;
}
