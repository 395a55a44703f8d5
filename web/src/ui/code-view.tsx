import type { Extension } from '@codemirror/state';
import { useEffect, useState } from 'react';
import { countOf } from '../lib/format.ts';
import styles from './code-view.module.css';
import { CopyButton } from './copyable.tsx';

/** Each comes with the first text in it that is shown. */
const languages = {
  sql: () => import('@codemirror/lang-sql').then(({ PostgreSQL }) => PostgreSQL.extension),
  /** The language of Helium's apps, and Journey's data models. */
  helium: () => import('./code-languages.ts').then(({ helium }) => helium.extension),
  xml: () => import('./code-languages.ts').then(({ xml }) => xml.extension),
} as const satisfies Record<string, () => Promise<Extension>>;

export interface CodeViewProps {
  readonly code: string;
  readonly language: keyof typeof languages;
  readonly label: string;
  readonly maxHeightPx: number;
}

/**
 * Code to be read, marked and copied. The editor comes with the first that is shown; until then the
 * text stands plain.
 */
export function CodeView({ code, language, label, maxHeightPx }: CodeViewProps) {
  const [parent, setParent] = useState<HTMLElement | null>(null);
  const [hasEditor, setHasEditor] = useState(false);
  useEffect(() => {
    if (parent === null) return;
    let isGone = false;
    let close = () => {};
    Promise.all([import('./code-editor.ts'), languages[language]()]).then(
      ([{ createCodeEditor }, extension]) => {
        if (isGone) return;
        const editor = createCodeEditor(parent, { code, label, language: extension });
        close = () => editor.destroy();
        setHasEditor(true);
      },
      // Without the editor the plain text stays: it can be read and copied as well.
      () => {},
    );
    return () => {
      isGone = true;
      close();
      setHasEditor(false);
    };
  }, [parent, code, language, label]);
  return (
    <figure className={styles.root}>
      <figcaption className={styles.bar}>
        <span className={styles.label}>{label}</span>
        <span className={styles.lines}>{countOf(code.split('\n').length, 'line')}</span>
        <CopyButton value={code} label={`Copy ${label} to the clipboard`} />
      </figcaption>
      <div ref={setParent} className={styles.text} style={{ maxHeight: maxHeightPx }}>
        {!hasEditor && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
          <pre tabIndex={0}>{code}</pre>
        )}
      </div>
    </figure>
  );
}
