import { IconInbox, IconSearchOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import styles from './empty.module.css';
import { PlatformText } from './platform-text.tsx';

/** An empty state: what it means and what to do next. */
export function Empty({ text, hint, onClear }: { text: string; hint?: ReactNode; onClear?: () => void }) {
  const Icon = onClear ? IconSearchOff : IconInbox;
  return (
    <div className={styles.root}>
      <Icon size={22} stroke={1.4} aria-hidden />
      <p>
        <PlatformText text={text} />
      </p>
      {hint ? <div className={styles.hint}>{hint}</div> : null}
      {onClear && (
        <button type="button" className="link-button" onClick={onClear}>
          Clear search
        </button>
      )}
    </div>
  );
}
