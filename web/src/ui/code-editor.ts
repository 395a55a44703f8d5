import { selectAll, selectCharLeft, selectCharRight, selectLineDown, selectLineUp } from '@codemirror/commands';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { monokaiDarkStyle, monokaiInit } from '@uiw/codemirror-theme-monokai';

/** Lighter versions of the theme's pink and gray, with enough contrast for WCAG AA (4.5:1). */
const accessibleColors: Readonly<Record<string, string>> = { '#F92672': '#fa5c95', '#88846f': '#a09c85' };

const monokai = monokaiInit({
  styles: monokaiDarkStyle.map((style) => ({ ...style, color: accessibleColors[style.color] ?? style.color })),
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
