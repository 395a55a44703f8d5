import { selectAll, selectCharLeft, selectCharRight, selectLineDown, selectLineUp } from '@codemirror/commands';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { monokaiDarkStyle, monokaiInit } from '@uiw/codemirror-theme-monokai';

/** The theme's pink and grey, made light enough to be read on its background (WCAG AA, 4.5 : 1). */
const readable: Readonly<Record<string, string>> = { '#F92672': '#fa5c95', '#88846f': '#a09c85' };

const monokai = monokaiInit({
  styles: monokaiDarkStyle.map((style) => ({ ...style, color: readable[style.color] ?? style.color })),
});

export interface ShownCode {
  readonly code: string;
  readonly label: string;
  readonly language: Extension;
}

/** A read-only view of code. Tab leaves it: it has no key of its own but those that mark text. */
export function createCodeEditor(parent: HTMLElement, { code, label, language }: ShownCode): EditorView {
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: code,
      extensions: [
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': label }),
        EditorView.lineWrapping,
        lineNumbers(),
        highlightSpecialChars(),
        language,
        monokai,
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
}
