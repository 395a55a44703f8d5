import { type EditorState, type Extension, type Line, type Range, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate, WidgetType } from '@codemirror/view';
import { formatFullTimestamp, formatTimestamp, type TimestampMode } from '../../format/instants.ts';
import { formatCount } from '../../format/numbers.ts';
import { type AnsiColor, toAnsiSpans } from '../text/ansi.ts';
import {
  gapBit,
  getKind,
  getLevel,
  getRowCodes,
  getRowKey,
  getRowLine,
  getRowMillis,
  getText,
  isContinuation,
  isMarker,
} from '../text/log-chunk.ts';
import { readFields } from '../text/log-fields.ts';
import { getLevelLabel } from '../text/log-format.ts';
import { getVisibleLines, maxLineChars } from '../text/long-lines.ts';
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
  /** What the log starts with, if its first lines are shown. */
  readonly getStartNote: () => string | null;
}

/** Redraws the decorations after an appearance change. */
export const redraw = StateEffect.define<null>();

export interface LineHooks {
  /** Shows all of a cut line (from 0). */
  readonly onShowAll: (line: number) => void;
  /** Shows the fields of the row of a line (from 0). */
  readonly onShowFields: (line: number) => void;
}

const levelClass = {
  trace: styles.finest,
  debug: styles.debug,
  info: styles.info,
  warning: styles.warning,
  severe: styles.severe,
  error: styles.error,
} as const;
const colorClass: Readonly<Record<AnsiColor, string | undefined>> = {
  muted: 'quiet',
  red: styles.red,
  green: styles.green,
  yellow: styles.yellow,
  blue: styles.blue,
  magenta: styles.magenta,
  cyan: styles.cyan,
  plain: '',
};
const maxMarksPerLine = 200;
/** Longer rows are not parsed while they are drawn. */
const maxFieldsChars = 100_000;

/**
 * Decorates visible lines with time, level, edge and search highlights, which are not part of the
 * text.
 */
export function logDecorations(appearance: LogAppearance, hooks: LineHooks): Extension {
  const draw = (view: EditorView) => Decoration.set(drawLines(view, appearance, hooks), true);
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

/**
 * Draws the note above the first line. It is not part of the text, so it is neither copied nor
 * counted.
 */
export function logStartNote(appearance: LogAppearance): Extension {
  const draw = ({ doc }: EditorState) => {
    const note = doc.length === 0 ? null : appearance.getStartNote();
    if (note === null) return Decoration.none;
    return Decoration.set(Decoration.widget({ widget: new NoteWidget(note), block: true, side: -1 }).range(0));
  };
  return StateField.define<DecorationSet>({
    create: draw,
    update: (drawn, { docChanged, state }) => (docChanged ? draw(state) : drawn),
    provide: (field) => EditorView.decorations.from(field),
  });
}

function drawLines(view: EditorView, appearance: LogAppearance, hooks: LineHooks): Range<Decoration>[] {
  const now = Date.now();
  const ranges: Range<Decoration>[] = [];
  for (const line of getVisibleLines(view.state.doc, view.visibleRanges)) {
    const shownLine = appearance.shown.getLine(line.number - 1);
    if (shownLine === null) continue;
    const { chunk, index, lineOfRow } = shownLine;
    const row = chunk.first + index;
    const kind = getKind(chunk, index);
    const isFirst = lineOfRow === 0 && !isContinuation(kind);
    const isCurrent = row === appearance.currentRow;
    ranges.push(Decoration.line({ class: getLineClass(kind, isFirst, isCurrent) }).range(line.from));
    if (isFirst) {
      const widget = new PrefixWidget(shownLine, kind, appearance.timestamps, now);
      ranges.push(Decoration.widget({ widget, side: -1 }).range(line.from));
      if (hasFields(shownLine)) ranges.push(fieldsButton(hooks.onShowFields).range(line.from, line.from + 1));
    }
    ranges.push(...drawColors(shownLine, line), ...drawCut(shownLine, line, hooks));
    if (appearance.highlight?.hasMatch(row)) {
      for (const [start, end] of findMatches(line.text, appearance.highlight.regExp)) {
        ranges.push(matchMark.range(line.from + start, line.from + end));
      }
    }
  }
  return ranges;
}

function hasFields({ chunk, index }: ShownLine): boolean {
  const text = getText(chunk, index, index + 1);
  return text.length <= maxFieldsChars && readFields(text) !== null;
}

function drawColors({ chunk, index, lineOfRow }: ShownLine, line: Line): Range<Decoration>[] {
  const codes = chunk.codes.length === 0 ? [] : getRowCodes(chunk, index);
  if (codes.length === 0) return [];
  const { start } = getRowLine(chunk, index, lineOfRow);
  return toAnsiSpans(codes, start + line.length).flatMap(({ from, to, color, isBold }) => {
    const mark = Decoration.mark({ class: `${colorClass[color]} ${isBold ? styles.bold : ''}` });
    return to > start ? [mark.range(line.from + Math.max(0, from - start), line.from + to - start)] : [];
  });
}

/** Draws a button at the end of a line that is cut. */
function drawCut({ chunk, index, lineOfRow }: ShownLine, line: Line, hooks: LineHooks): Range<Decoration>[] {
  // Cheap for all lines but the longest.
  if (line.length < maxLineChars - 1) return [];
  const { length } = getRowLine(chunk, index, lineOfRow).text;
  if (length === line.length) return [];
  const widget = new LineButton(`Show all ${formatCount(length)} characters`, styles.more, hooks.onShowAll);
  return [Decoration.widget({ widget, side: 1 }).range(line.to)];
}

/** Replaces the brace at the start of a JSON line by a button. */
function fieldsButton(onPress: (line: number) => void): Decoration {
  return Decoration.replace({ widget: new LineButton('{', styles.fields, onPress, 'Show the fields') });
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
    // A marker is added when it is noticed, which may be later than the lines after it.
    this.#time = isMarker(kind) ? '' : formatTimestamp(millis, timestamps, now);
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
      const [, date = '', time = '', millis = '', zone = ''] = /^(.+ )?([^.]*)(\.\d+)?(.*)$/.exec(this.#time) ?? [];
      const element = createSpan('quiet', '');
      element.append(createSpan(styles.date, date), time, createSpan(styles.millis, millis), zone);
      prefix.append(element, ' ');
    }
    prefix.append(createSpan(styles.word, this.#label), ' ');
    return prefix;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

class NoteWidget extends WidgetType {
  readonly #text: string;

  constructor(text: string) {
    super();
    this.#text = text;
  }

  override eq(other: NoteWidget): boolean {
    return this.#text === other.#text;
  }

  override toDOM(): HTMLElement {
    const note = createSpan(styles.startNote, this.#text);
    note.dataset.logStart = '';
    return note;
  }
}

/** A button in a line. Its hook receives the line (from 0). */
class LineButton extends WidgetType {
  readonly #text: string;
  readonly #className: string | undefined;
  readonly #onPress: (line: number) => void;
  readonly #label: string;

  constructor(text: string, className: string | undefined, onPress: (line: number) => void, label = text) {
    super();
    this.#text = text;
    this.#className = className;
    this.#onPress = onPress;
    this.#label = label;
  }

  override eq(other: LineButton): boolean {
    return this.#text === other.#text;
  }

  override toDOM(view: EditorView): HTMLElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = this.#className ?? '';
    button.textContent = this.#text;
    button.title = this.#label;
    button.setAttribute('aria-label', this.#label);
    button.onclick = () => this.#onPress(view.state.doc.lineAt(view.posAtDOM(button)).number - 1);
    return button;
  }
}

function createSpan(className: string | undefined, text: string): HTMLElement {
  const element = document.createElement('span');
  element.className = className ?? '';
  element.textContent = text;
  return element;
}
