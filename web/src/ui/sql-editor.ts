import { selectAll, selectCharLeft, selectCharRight, selectLineDown, selectLineUp } from '@codemirror/commands';
import { PostgreSQL } from '@codemirror/lang-sql';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { monokaiDarkStyle, monokaiInit } from '@uiw/codemirror-theme-monokai';

/** The theme's pink and grey, made light enough to be read on its background (WCAG AA, 4.5 : 1). */
const readable: Readonly<Record<string, string>> = { '#F92672': '#fa5c95', '#88846f': '#a09c85' };

const monokai = monokaiInit({
  styles: monokaiDarkStyle.map((style) => ({ ...style, color: readable[style.color] ?? style.color })),
});

/** A read-only view of SQL. Tab leaves it: it has no key of its own but those that mark text. */
export function createSqlEditor(parent: HTMLElement, sql: string, label: string): EditorView {
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: sql,
      extensions: [
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': label }),
        EditorView.lineWrapping,
        lineNumbers(),
        highlightSpecialChars(),
        PostgreSQL.extension,
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
