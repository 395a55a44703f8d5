import { selectAll, selectCharLeft, selectCharRight, selectLineDown, selectLineUp } from '@codemirror/commands';
import { Compartment, EditorState, Text } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap } from '@codemirror/view';
import { getRowLine } from '../text/log-chunk.ts';
import { formatPrefix } from '../text/log-download.ts';
import { maxLineChars } from '../text/long-lines.ts';
import { type LineHooks, type LogAppearance, logDecorations, logStartNote, redraw } from './log-decorations.ts';
import { scrollTo, scrollWithin } from './log-scroll.ts';

/** The distance from the end, in pixels, that counts as the end. */
const endPx = 30;
const offEndPx = 6;
/** A scroll this soon after wheel, touch or key input is the user's. */
const intentMs = 700;
const settleMs = 250;

export interface EditorHooks extends LineHooks {
  /** The user scrolled up, or back to the end. */
  readonly onPause: () => void;
  readonly onResume: () => void;
}

/** The log view: read-only, selectable, and following its end unless the user scrolled up. */
export class LogEditor {
  readonly view: EditorView;
  readonly #appearance: LogAppearance;
  readonly #hooks: EditorHooks;
  readonly #wrapping = new Compartment();
  #isFollowing = true;
  /** A pointer is down: the user is selecting or scrolling, so the view must not move. */
  #isHeld = false;
  /** The scroll position set by following; 0 after the text became shorter. */
  #followTop = 0;
  /** When the user last (possibly) scrolled down, and when they paused. */
  #scrolledDownAt = Number.NEGATIVE_INFINITY;
  #pausedAt = Number.NEGATIVE_INFINITY;
  #lastTop = 0;

  constructor(parent: HTMLElement, appearance: LogAppearance, hooks: EditorHooks) {
    this.#appearance = appearance;
    this.#hooks = hooks;
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          EditorState.readOnly.of(true),
          EditorView.editable.of(false),
          EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': 'Log lines' }),
          highlightSpecialChars(),
          logDecorations(appearance, hooks),
          logStartNote(appearance),
          this.#wrapping.of([]),
          EditorView.scrollHandler.of((_, range, { y }) => this.#scroll(range.head, y)),
          EditorView.clipboardOutputFilter.of((text, { selection: { main } }) =>
            this.#formatText(text, main.from, main.to),
          ),
          keymap.of([
            { key: 'Mod-a', run: selectAll, preventDefault: true },
            { key: 'Shift-ArrowUp', run: selectLineUp, preventDefault: true },
            { key: 'Shift-ArrowDown', run: selectLineDown, preventDefault: true },
            { key: 'Shift-ArrowLeft', run: selectCharLeft, preventDefault: true },
            { key: 'Shift-ArrowRight', run: selectCharRight, preventDefault: true },
          ]),
        ],
      }),
    });
    this.#listen();
  }

  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  follow(isFollowing: boolean): void {
    this.#isFollowing = isFollowing;
    if (isFollowing) this.scrollToEnd();
    else this.#leaveEnd();
  }

  /** Appends lines and follows in a single update, because each update costs a layout. */
  append(lines: readonly string[]): void {
    const { state } = this.view;
    const { length } = state.doc;
    // A scroll target refers to the old text and moves with the change. The end only moves if it is
    // the end of the replaced range, so the last character is inserted again before the lines.
    const last = state.sliceDoc(length - 1);
    const insert = Text.of(last === '\n' ? ['', '', ...lines] : [last, ...lines]);
    const scrolled = state.update({ effects: this.#isFollowing && !this.#isHeld ? scrollTo(length, 'end') : [] });
    this.view.dispatch([scrolled, scrolled.state.update({ changes: { from: length - 1, to: length, insert } })]);
  }

  /** Scrolls to the end after a change other than appended lines. */
  scrollIfFollowing(): void {
    if (this.#isFollowing && !this.#isHeld) this.scrollToEnd();
  }

  scrollToEnd(): void {
    this.#followTop = 0;
    this.view.dispatch({ effects: scrollTo(this.view.state.doc.length, 'end') });
  }

  /** Scrolls a position in a line (from 0) to the middle of the view. */
  scrollToPosition(line: number, column: number): void {
    const { doc } = this.view.state;
    if (line < 0 || line >= doc.lines) return;
    const { from, to } = doc.line(line + 1);
    this.view.dispatch({ effects: scrollTo(Math.min(from + column, to), 'center') });
  }

  /** Scrolls a line (from 0) to the top. */
  scrollLineToTop(line: number): void {
    const { doc } = this.view.state;
    // Above the first line, its note is shown too.
    if (line === 0) this.view.scrollDOM.scrollTop = 0;
    else if (line > 0 && line < doc.lines) this.view.dispatch({ effects: scrollTo(doc.line(line + 1).from, 'start') });
  }

  /** The first visible line (from 0). */
  topLine(): number {
    const { scrollTop } = this.view.scrollDOM;
    return this.view.state.doc.lineAt(this.view.lineBlockAtHeight(scrollTop).from).number - 1;
  }

  getSelectedText(): string {
    const { selection, doc } = this.view.state;
    const { from, to } = selection.main.empty ? this.#getVisibleRange() : selection.main;
    return this.#formatText(doc.sliceString(from, to), from, to);
  }

  #getVisibleRange(): { from: number; to: number } {
    const { scrollTop, clientHeight } = this.view.scrollDOM;
    const { from } = this.view.lineBlockAtHeight(scrollTop);
    return { from, to: this.view.lineBlockAtHeight(scrollTop + clientHeight).to };
  }

  focus(): void {
    this.view.focus();
  }

  wrap(isWrapped: boolean): void {
    this.view.dispatch({ effects: this.#wrapping.reconfigure(isWrapped ? EditorView.lineWrapping : []) });
    this.scrollIfFollowing();
  }

  redraw(): void {
    this.view.dispatch({ effects: redraw.of(null) });
  }

  destroy(): void {
    this.view.destroy();
  }

  #listen(): void {
    const { scrollDOM } = this.view;
    const setScrolledDown = () => {
      this.#scrolledDownAt = performance.now();
    };
    scrollDOM.addEventListener('wheel', ({ deltaY }) => (deltaY < 0 ? this.#pause() : setScrolledDown()), {
      passive: true,
    });
    scrollDOM.addEventListener('touchmove', setScrolledDown, { passive: true });
    scrollDOM.addEventListener('keydown', ({ key }) => {
      if (/^(ArrowUp|PageUp)$/.test(key)) this.#pause();
      else if (/^(ArrowDown|PageDown)$/.test(key)) setScrolledDown();
    });
    scrollDOM.addEventListener('scroll', () => this.#onScroll(), { passive: true });
    for (const type of ['pointerdown', 'touchstart']) {
      scrollDOM.addEventListener(type, () => this.#hold(), { passive: true });
    }
  }

  #hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    // Some releases fire no event; a move without a pressed button counts as one too.
    const ends = ['pointerup', 'pointermove', 'touchend', 'touchcancel', 'dragend'];
    const release = (event: Event) => {
      if (event instanceof PointerEvent && event.type === 'pointermove' && event.buttons !== 0) return;
      for (const type of ends) window.removeEventListener(type, release);
      this.#isHeld = false;
      if (!this.view.state.selection.main.empty) this.#pause();
    };
    for (const type of ends) window.addEventListener(type, release);
  }

  /**
   * Replaces CodeMirror's scrolling. Skips a follow step if the user scrolled up in the meantime.
   */
  #scroll(position: number, y: string): boolean {
    const { scrollDOM } = this.view;
    if (y === 'end') {
      if (!this.#isFollowing || this.#isHeld) return true;
      if (scrollDOM.scrollTop < this.#followTop - scrollDOM.clientHeight) {
        this.#pause();
        return true;
      }
    }
    scrollWithin(this.view, position, y);
    if (y === 'end') this.#followTop = scrollDOM.scrollTop;
    return true;
  }

  /**
   * CodeMirror stays at the end when it is there to the pixel, so a paused view is placed slightly
   * before it.
   */
  #leaveEnd(): void {
    const { scrollDOM } = this.view;
    const end = scrollDOM.scrollHeight - scrollDOM.clientHeight;
    if (scrollDOM.scrollTop > end - offEndPx) scrollDOM.scrollTop = end - offEndPx;
  }

  #onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.view.scrollDOM;
    const isAtEnd = scrollHeight - clientHeight - scrollTop < endPx;
    if (this.#isFollowing) {
      if (scrollTop < this.#lastTop - 4 && !isAtEnd) this.#pause();
    } else if (isAtEnd && scrollTop > this.#lastTop && this.#isUserScroll()) {
      this.#hooks.onResume();
    }
    this.#lastTop = scrollTop;
  }

  /**
   * Whether the user scrolled, as opposed to a follow step that was still pending when they paused.
   */
  #isUserScroll(): boolean {
    const now = performance.now();
    return (this.#isHeld || now - this.#scrolledDownAt < intentMs) && now - this.#pausedAt > settleMs;
  }

  #pause(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.view.scrollDOM;
    this.#lastTop = scrollTop;
    this.#pausedAt = performance.now();
    if (this.#isFollowing && scrollHeight > clientHeight) this.#hooks.onPause();
  }

  /** Copies whole lines with time and level, as shown. A part of one line is copied unchanged. */
  #formatText(text: string, from: number, to: number): string {
    const { doc } = this.view.state;
    const first = doc.lineAt(from);
    if (to <= first.to && !(from === first.from && to === first.to)) return text;
    const { shown, timestamps } = this.#appearance;
    const rows = shown.linesFrom(first.number - 1);
    const endsInsideLine = to < doc.lineAt(to).to;
    const lines = text.split('\n');
    for (const [index, line] of lines.entries()) {
      const { value: shownLine } = rows.next();
      const isLast = index === lines.length - 1;
      if (!shownLine || (index === 0 && from !== first.from) || (isLast && line === '')) continue;
      const { chunk, index: row, lineOfRow } = shownLine;
      const mayBeCut = line.length >= maxLineChars - 1 && !(isLast && endsInsideLine);
      const whole = mayBeCut ? getRowLine(chunk, row, lineOfRow).text : line;
      lines[index] = (lineOfRow === 0 ? formatPrefix(chunk, row, timestamps) : '') + whole;
    }
    return lines.join('\n');
  }
}
