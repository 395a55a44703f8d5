import { selectAll, selectCharLeft, selectCharRight, selectLineDown, selectLineUp } from '@codemirror/commands';
import { Compartment, EditorState, Text } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap } from '@codemirror/view';
import { type LogLook, logDecorations, redraw } from './log-decorations.ts';
import { prefixOf } from './log-download.ts';
import { scrollTo, scrollWithin } from './log-scroll.ts';

/** How near the end, in pixels, counts as the end. */
const endPx = 30;
const offEndPx = 6;
/** A scroll this soon after a wheel, touch or key was the user's. */
const intentMs = 700;
const settleMs = 250;

export interface EditorHooks {
  /** The user went up, or back to the end. */
  readonly onPause: () => void;
  readonly onResume: () => void;
}

/**
 * The text view: read only, selected and copied like an editor's, and following its end unless the
 * user looks back.
 */
export class LogEditor {
  readonly view: EditorView;
  readonly #look: LogLook;
  readonly #hooks: EditorHooks;
  readonly #wrapping = new Compartment();
  #isFollowing = true;
  /** A button or finger is down: somebody selects or scrolls, so the view must hold still. */
  #isHeld = false;
  /** Where following has scrolled to; 0 after the text has become shorter. */
  #followTop = 0;
  /** When the user last went downwards, or may have, and when they paused. */
  #downAt = Number.NEGATIVE_INFINITY;
  #pausedAt = Number.NEGATIVE_INFINITY;
  #lastTop = 0;

  constructor(parent: HTMLElement, look: LogLook, hooks: EditorHooks) {
    this.#look = look;
    this.#hooks = hooks;
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          EditorState.readOnly.of(true),
          EditorView.editable.of(false),
          EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': 'Log lines' }),
          highlightSpecialChars(),
          logDecorations(look),
          this.#wrapping.of([]),
          EditorView.scrollHandler.of((_, range, { y }) => this.#scroll(range.head, y)),
          EditorView.clipboardOutputFilter.of((text, state) => this.#copied(text, state)),
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
    if (isFollowing) this.toEnd();
    else this.#leaveEnd();
  }

  /**
   * Puts lines behind the last one, and follows; each step of the view costs a layout, so this is
   * one step.
   */
  append(lines: readonly string[]): void {
    const { state } = this.view;
    const { length } = state.doc;
    // A scroll target is bound to the text as it was and then moved along with the change. The end
    // moves along only if it is the end of what is replaced: so the last character is put in again,
    // before the lines.
    const last = state.sliceDoc(length - 1);
    const insert = Text.of(last === '\n' ? ['', '', ...lines] : [last, ...lines]);
    const aimed = state.update({ effects: this.#isFollowing && !this.#isHeld ? scrollTo(length, 'end') : [] });
    this.view.dispatch([aimed, aimed.state.update({ changes: { from: length - 1, to: length, insert } })]);
  }

  /** After something else than added lines has moved the end. */
  keepUp(): void {
    if (this.#isFollowing && !this.#isHeld) this.toEnd();
  }

  toEnd(): void {
    this.#followTop = 0;
    this.view.dispatch({ effects: scrollTo(this.view.state.doc.length, 'end') });
  }

  /** Shows a place in a line (from 0), in the middle of the view. */
  showPlace(line: number, column: number): void {
    const { doc } = this.view.state;
    if (line < 0 || line >= doc.lines) return;
    const { from, to } = doc.line(line + 1);
    this.view.dispatch({ effects: scrollTo(Math.min(from + column, to), 'center') });
  }

  /** Puts a line (from 0) at the top. */
  showAtTop(line: number): void {
    const { doc } = this.view.state;
    if (line >= 0 && line < doc.lines) this.view.dispatch({ effects: scrollTo(doc.line(line + 1).from, 'start') });
  }

  /** The line (from 0) at the top of what is seen. */
  topLine(): number {
    const { scrollTop } = this.view.scrollDOM;
    return this.view.state.doc.lineAt(this.view.lineBlockAtHeight(scrollTop).from).number - 1;
  }

  wrap(isWrapped: boolean): void {
    this.view.dispatch({ effects: this.#wrapping.reconfigure(isWrapped ? EditorView.lineWrapping : []) });
    this.keepUp();
  }

  redraw(): void {
    this.view.dispatch({ effects: redraw.of(null) });
  }

  destroy(): void {
    this.view.destroy();
  }

  #listen(): void {
    const { scrollDOM } = this.view;
    const goesDown = () => {
      this.#downAt = performance.now();
    };
    scrollDOM.addEventListener('wheel', ({ deltaY }) => (deltaY < 0 ? this.#pause() : goesDown()), { passive: true });
    scrollDOM.addEventListener('touchmove', goesDown, { passive: true });
    scrollDOM.addEventListener('keydown', ({ key }) => {
      if (/^(ArrowUp|PageUp)$/.test(key)) this.#pause();
      else if (/^(ArrowDown|PageDown)$/.test(key)) goesDown();
    });
    scrollDOM.addEventListener('scroll', () => this.#onScroll(), { passive: true });
    for (const type of ['pointerdown', 'touchstart']) {
      scrollDOM.addEventListener(type, () => this.#hold(), { passive: true });
    }
  }

  #hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    // Not every release is told: a move without a button down is one too.
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
   * In place of CodeMirror's own scrolling. A step of following is not taken when the user has gone
   * up meanwhile.
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
   * CodeMirror keeps to the end by itself while it is there to the pixel, so a paused view stands a
   * little before it.
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
    } else if (isAtEnd && scrollTop > this.#lastTop && this.#isMeant()) {
      this.#hooks.onResume();
    }
    this.#lastTop = scrollTop;
  }

  /** The user scrolled, and not a step of following that was still on its way when they paused. */
  #isMeant(): boolean {
    const now = performance.now();
    return (this.#isHeld || now - this.#downAt < intentMs) && now - this.#pausedAt > settleMs;
  }

  #pause(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.view.scrollDOM;
    this.#lastTop = scrollTop;
    this.#pausedAt = performance.now();
    if (this.#isFollowing && scrollHeight > clientHeight) this.#hooks.onPause();
  }

  /**
   * Whole lines are copied as they are seen, with time and level; a part of one line is copied as
   * it is.
   */
  #copied(text: string, state: EditorState): string {
    const { from, to } = state.selection.main;
    const first = state.doc.lineAt(from);
    if (to <= first.to && !(from === first.from && to === first.to)) return text;
    const { shown, timestamps } = this.#look;
    const rows = shown.linesFrom(first.number - 1);
    const lines = text.split('\n');
    for (const [index, line] of lines.entries()) {
      const { value: what } = rows.next();
      const isPart = (index === 0 && from !== first.from) || (index === lines.length - 1 && line === '');
      if (what && what.lineOfRow === 0 && !isPart) lines[index] = prefixOf(what.chunk, what.index, timestamps) + line;
    }
    return lines.join('\n');
  }
}
