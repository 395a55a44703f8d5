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
import { gapBit, getKind, getLevel, getRowKey, getRowMillis, isContinuation, isMarker } from './log-chunk.ts';
import { getLevelLabel } from './log-format.ts';
import styles from './log-view.module.css';
import type { ShownLine, ShownRows } from './shown-rows.ts';

/** The current appearance of the lines, read on each draw. */
export interface LogAppearance {
  /** The rows in the text; changed together with it. */
  shown: ShownRows;
  timestamps: TimestampMode;
  /** Highlights matches. Runs the expression only on rows that are known to match. */
  highlight: { readonly regExp: RegExp; readonly hasMatch: (row: number) => boolean } | null;
  /** The current match. */
  currentRow: number | null;
}

/** Redraws the decorations after an appearance change. */
export const redraw = StateEffect.define<null>();

const levelClass = { info: styles.info, warning: styles.warning, severe: styles.severe, error: styles.error } as const;
const maxMarksPerLine = 200;

/**
 * Decorates visible lines with time, level, edge and search highlights, which are not part of the
 * text.
 */
export function logDecorations(appearance: LogAppearance): Extension {
  const draw = (view: EditorView) => Decoration.set(drawLines(view, appearance), true);
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = draw(view);
      }
      update(update: ViewUpdate) {
        const isRedrawRequested = update.transactions.some((transaction) =>
          transaction.effects.some((effect) => effect.is(redraw)),
        );
        if (update.docChanged || update.viewportChanged || isRedrawRequested) this.decorations = draw(update.view);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}

function drawLines(view: EditorView, appearance: LogAppearance) {
  const { shown } = appearance;
  const now = Date.now();
  const ranges = [];
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at);
      const shownLine = shown.getLine(line.number - 1);
      if (shownLine !== null) {
        const row = shownLine.chunk.first + shownLine.index;
        const kind = getKind(shownLine.chunk, shownLine.index);
        const isFirst = shownLine.lineOfRow === 0 && !isContinuation(kind);
        ranges.push(
          Decoration.line({ class: getLineClass(kind, isFirst, row === appearance.currentRow) }).range(line.from),
        );
        if (isFirst) {
          const widget = new PrefixWidget(shownLine, kind, appearance.timestamps, now);
          ranges.push(Decoration.widget({ widget, side: -1 }).range(line.from));
        }
        if (appearance.highlight?.hasMatch(row)) {
          for (const [start, end] of findMatches(line.text, appearance.highlight.regExp)) {
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

function getLineClass(kind: number, isFirst: boolean, isCurrent: boolean): string {
  const level = isMarker(kind) ? (kind & gapBit ? styles.gap : styles.note) : levelClass[getLevel(kind)];
  return [level, isFirst ? styles.first : styles.trace, isCurrent ? styles.current : ''].join(' ');
}

function findMatches(text: string, regExp: RegExp): [start: number, end: number][] {
  const found: [number, number][] = [];
  regExp.lastIndex = 0;
  for (const match of text.matchAll(regExp)) {
    if (match[0] !== '') found.push([match.index, match.index + match[0].length]);
    if (found.length >= maxMarksPerLine) break;
  }
  return found;
}

/** The time and level in front of the first line of a row. */
class PrefixWidget extends WidgetType {
  readonly #time: string;
  readonly #label: string;
  readonly #title: string;

  constructor({ chunk, index }: ShownLine, kind: number, timestamps: TimestampMode, now: number) {
    super();
    const millis = getRowMillis(chunk, index);
    this.#time = formatTimestamp(millis, timestamps, now);
    this.#label = isMarker(kind) ? '' : getLevelLabel(getRowKey(chunk, index));
    this.#title = `${formatFullTimestamp(millis, 'local')} local, ${formatFullTimestamp(millis, 'utc')}`;
  }

  override eq(other: PrefixWidget): boolean {
    return this.#title === other.#title && this.#label === other.#label && this.#time === other.#time;
  }

  override toDOM(): HTMLElement {
    const prefix = document.createElement('span');
    prefix.className = styles.prefix ?? '';
    prefix.title = this.#title;
    if (this.#time !== '') {
      const [time = '', millis = ''] = this.#time.split('.');
      const element = createSpan('quiet', time);
      element.append(createSpan(styles.millis, `.${millis}`));
      prefix.append(element, ' ');
    }
    prefix.append(createSpan(styles.word, this.#label), ' ');
    return prefix;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

function createSpan(className: string | undefined, text: string): HTMLElement {
  const element = document.createElement('span');
  element.className = className ?? '';
  element.textContent = text;
  return element;
}
