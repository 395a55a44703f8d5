import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { copyText } from './copy-text.ts';
import styles from './copyable.module.css';

const copiedShownMs = 1500;

/** Of an id: its last characters are always shown. */
const tailLength = 6;

/** Copies a value and confirms it briefly. */
export function CopyButton({ value, label }: { value: string; label: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), copiedShownMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const Icon = copied ? IconCheck : IconCopy;
  return (
    // A plain button, because three component buttons in each row would make every search slower.
    <button
      type="button"
      className={styles.copy}
      aria-label={copied ? 'Copied' : label}
      title={copied ? 'Copied' : label}
      onClick={(event) => {
        event.stopPropagation();
        void copyText(value).then(setCopied);
      }}
    >
      <Icon size={14} stroke={1.8} aria-hidden />
    </button>
  );
}

/**
 * Shows an id or address in monospace, shortened in the middle if needed, in full on hover, with a
 * copy button.
 */
export function Copyable({ value, label = 'Copy' }: { value: string; label?: string }) {
  const split = Math.max(0, value.length - tailLength);
  // Inline, so that selecting and copying the text gives the value without a line break.
  return (
    <span className={styles.root} title={value}>
      <span className={styles.text}>
        <span className={styles.start} style={{ maxWidth: `calc(100% - ${tailLength}ch + 1px)` }}>
          {value.slice(0, split)}
        </span>
        {value.slice(split)}
      </span>
      <CopyButton value={value} label={`${label} ${value}`} />
    </span>
  );
}
