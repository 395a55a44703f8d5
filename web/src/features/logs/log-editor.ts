import { selectAll, selectCharLeft, selectCharRight, selectLineDown, selectLineUp } from '@codemirror/commands';
import { Compartment, EditorState, type StateEffect } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap } from '@codemirror/view';
import { type LogLook, logDecorations, redraw } from './log-decorations.ts';
import { prefixOf } from './log-download.ts';

/** How near the end, in pixels, counts as the end. */
const endPx = 30;
/** A scroll this soon after a wheel, touch or key was the user's. */
const intentMs = 700;

export interface EditorHooks {
  /** The user went up, or back to the end. */
  readonly onPause: () => void;
  readonly onResume: () => void;
}

/** The text view: read only, selected and copied like an editor's, and following its end unless the user looks back. */
export class LogEditor {
  readonly view: EditorView;
  readonly #look: LogLook;
  readonly #hooks: EditorHooks;
  readonly #wrapping = new Compartment();
  #isFollowing = true;
  /** A button is down in the text: somebody selects, so the text must hold still. */
  #isHeld = false;
  #intentAt = Number.NEGATIVE_INFINITY;
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
  }

  /** What keeps the end in sight while following. It costs half the dropped frames of setting `scrollTop`. */
  effectsAtEnd(end: number): readonly StateEffect<unknown>[] {
    if (!this.#isFollowing || this.#isHeld) return [];
    this.#lastTop = 0;
    return [scrollTo(end, 'end')];
  }

  /** After something else than added lines has moved the end. */
  keepUp(): void {
    if (this.#isFollowing && !this.#isHeld) this.toEnd();
  }

  toEnd(): void {
    this.#lastTop = 0;
    this.view.dispatch({ effects: scrollTo(this.view.state.doc.length, 'end') });
  }

  /** Shows a place in a line (from 0), in the middle of the view. */
  showPlace(line: number, column: number): void {
    const { doc } = this.view.state;
    if (line < 0 || line >= doc.lines) return;
    const { from, to } = doc.line(line + 1);
    const at = Math.min(from + column, to);
    this.view.dispatch({ effects: EditorView.scrollIntoView(at, { y: 'center', x: 'nearest', xMargin: 80 }) });
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
    const { scrollDOM, contentDOM } = this.view;
    const meant = () => {
      this.#intentAt = performance.now();
    };
    scrollDOM.addEventListener(
      'wheel',
      (event) => {
        meant();
        if (event.deltaY < 0) this.#pause();
      },
      { passive: true },
    );
    for (const type of ['touchmove', 'keydown', 'pointerdown'])
      scrollDOM.addEventListener(type, meant, { passive: true });
    scrollDOM.addEventListener('scroll', () => this.#onScroll(), { passive: true });
    contentDOM.addEventListener('pointerdown', () => {
      this.#isHeld = true;
      const release = () => {
        this.#isHeld = false;
        if (!this.view.state.selection.main.empty) this.#pause();
      };
      window.addEventListener('pointerup', release, { once: true });
      window.addEventListener('pointercancel', release, { once: true });
    });
  }

  #onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.view.scrollDOM;
    const isAtEnd = scrollHeight - clientHeight - scrollTop < endPx;
    if (this.#isFollowing) {
      if (scrollTop < this.#lastTop - 4 && !isAtEnd) this.#pause();
    } else if (isAtEnd && scrollTop > this.#lastTop && performance.now() - this.#intentAt < intentMs) {
      this.#hooks.onResume();
    }
    this.#lastTop = scrollTop;
  }

  #pause(): void {
    const { scrollHeight, clientHeight } = this.view.scrollDOM;
    if (this.#isFollowing && scrollHeight > clientHeight) this.#hooks.onPause();
  }

  /** Whole lines are copied as they are seen, with time and level; a part of one line is copied as it is. */
  #copied(text: string, state: EditorState): string {
    const { from, to } = state.selection.main;
    const first = state.doc.lineAt(from);
    if (to <= first.to && !(from === first.from && to === first.to)) return text;
    const { shown, timestamps } = this.#look;
    const rows = shown.linesFrom(first.number - 1);
    return text
      .split('\n')
      .map((line, index) => {
        const { value: what } = rows.next();
        if (!what || what.lineOfRow > 0 || (index === 0 && from !== first.from)) return line;
        return prefixOf(what.chunk, what.index, timestamps) + line;
      })
      .join('\n');
  }
}

/** Up or down only: a margin that no place can hurt keeps the view from going sideways to the end of a long line. */
function scrollTo(position: number, y: 'start' | 'end') {
  return EditorView.scrollIntoView(position, { y, x: 'nearest', xMargin: -1e6 });
}
