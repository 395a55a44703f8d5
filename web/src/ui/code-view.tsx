import type { Extension } from '@codemirror/state';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { formatPlural } from '../format/numbers.ts';
import styles from './code-view.module.css';
import { CopyButton } from './copyable.tsx';

/** Each language is loaded when the first code in it is shown. */
const languages = {
  sql: () => import('@codemirror/lang-sql').then(({ PostgreSQL }) => PostgreSQL.extension),
  /** The language of Helium apps and of Journey data models. */
  helium: () => import('./code-languages.ts').then(({ helium }) => helium.extension),
  xml: () => import('./code-languages.ts').then(({ xml }) => xml.extension),
} as const satisfies Record<string, () => Promise<Extension>>;

export interface CodeViewProps {
  readonly code: string;
  readonly language: keyof typeof languages;
  readonly label: string;
  readonly maxHeightPx: number;
  /** Default: that of the page's color scheme. */
  readonly theme?: 'monokai';
}

/**
 * Shows code to read, select and copy. Loads the editor on first use; until then the text is plain.
 */
export function CodeView({ code, language, label, maxHeightPx, theme }: CodeViewProps) {
  const [parent, setParent] = useState<HTMLElement | null>(null);
  const [hasEditor, setHasEditor] = useState(false);
  useEffect(() => {
    if (parent === null) return;
    let isCanceled = false;
    let close = () => {};
    Promise.all([import('./code-editor.ts'), languages[language]()]).then(
      ([{ createCodeEditor }, extension]) => {
        if (isCanceled) return;
        const editor = createCodeEditor(parent, { code, label, language: extension });
        close = () => editor.destroy();
        // At once, so that the editor and the plain text are never shown together.
        flushSync(() => setHasEditor(true));
      },
      // Without the editor, the plain text remains readable and can be copied.
      () => {},
    );
    return () => {
      isCanceled = true;
      close();
      setHasEditor(false);
    };
  }, [parent, code, language, label]);
  return (
    <figure className={styles.root}>
      <figcaption className={styles.bar}>
        <span className={styles.label}>{label}</span>
        <span className={styles.lines}>{formatPlural(code.split('\n').length, 'line')}</span>
        <CopyButton value={code} label={`Copy ${label}`} />
      </figcaption>
      <div ref={setParent} className={styles.text} data-theme={theme} style={{ maxHeight: maxHeightPx }}>
        {!hasEditor && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
          <pre tabIndex={0}>{code}</pre>
        )}
      </div>
    </figure>
  );
}
