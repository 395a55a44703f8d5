import { selectAll, selectCharLeft, selectCharRight, selectLineDown, selectLineUp } from '@codemirror/commands';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { monokaiDarkStyle, monokaiInit } from '@uiw/codemirror-theme-monokai';

/**
 * The colors of Monokai by their originals: dark ones for a light background, and for a dark one
 * its own, of which pink and gray are lighter. All have enough contrast for WCAG AA (4.5:1).
 */
const colors: Readonly<Record<string, string>> = {
  '#F92672': 'light-dark(#b0114d, #fa5c95)',
  '#FD971F': 'light-dark(#8f4a00, #fd971f)',
  '#66D9EF': 'light-dark(#00647a, #66d9ef)',
  '#E6DB74': 'light-dark(#6b5d00, #e6db74)',
  '#AE81FF': 'light-dark(#6b3fc4, #ae81ff)',
  '#A6E22E': 'light-dark(#3c6b00, #a6e22e)',
  '#88846f': 'light-dark(#5c5944, #a09c85)',
  '#F44747': 'light-dark(#b92d28, #f44747)',
};

const monokai = monokaiInit({
  settings: {
    background: 'transparent',
    foreground: 'inherit',
    gutterBackground: 'transparent',
    selection: 'light-dark(#d5daf5, #4a4a76)',
    selectionMatch: 'light-dark(#d5daf5, #4a4a76)',
  },
  styles: monokaiDarkStyle.map((style) => ({ ...style, color: colors[style.color] ?? style.color })),
});

export interface CodeEditorOptions {
  readonly code: string;
  readonly label: string;
  readonly language: Extension;
}

/** Creates a read-only code view. Tab leaves it; its only key bindings select text. */
export function createCodeEditor(parent: HTMLElement, { code, label, language }: CodeEditorOptions): EditorView {
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
