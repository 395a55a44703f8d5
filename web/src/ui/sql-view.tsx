import { useEffect, useState } from 'react';
import { CopyButton } from './copyable.tsx';
import { countOf } from './duration.ts';
import styles from './sql-view.module.css';

/** SQL to be read, marked and copied. The editor comes with the first SQL that is shown; until then the text stands plain. */
export function SqlView({ sql, label, maxHeight = 320 }: { sql: string; label: string; maxHeight?: number }) {
  const [parent, setParent] = useState<HTMLElement | null>(null);
  const [hasEditor, setHasEditor] = useState(false);
  useEffect(() => {
    if (parent === null) return;
    let isGone = false;
    let close = () => {};
    import('./sql-editor.ts').then(
      ({ createSqlEditor }) => {
        if (isGone) return;
        const editor = createSqlEditor(parent, sql, label);
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
  }, [parent, sql, label]);
  return (
    <figure className={styles.root}>
      <figcaption className={styles.bar}>
        <span className={styles.label}>{label}</span>
        <span className={styles.lines}>{countOf(sql.split('\n').length, 'line')}</span>
        <CopyButton value={sql} label={`Copy ${label} to the clipboard`} />
      </figcaption>
      <div ref={setParent} className={styles.text} style={{ maxHeight }}>
        {!hasEditor && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
          <pre tabIndex={0}>{sql}</pre>
        )}
      </div>
    </figure>
  );
}
