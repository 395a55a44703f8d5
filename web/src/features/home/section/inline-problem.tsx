import { IconAlertTriangle } from '@tabler/icons-react';
import { useRef } from 'react';
import { describeProblem } from '../../../ui/describe-problem.ts';
import { useFocusFallback } from '../../../ui/use-focus-fallback.ts';
import styles from '../attention/attention.module.css';

/** A one-line error for a section that failed to load; the other sections stay. */
export function InlineProblem(props: {
  text: string;
  load: { readonly error: unknown; readonly refetch: () => unknown };
}) {
  const { text, load } = props;
  const note = useRef<HTMLParagraphElement>(null);
  useFocusFallback(note);
  return (
    <p
      ref={note}
      className={styles.problem}
      role="status"
      title={load.error ? describeProblem(load.error).copyText : undefined}
    >
      <IconAlertTriangle size={15} stroke={1.6} aria-hidden />
      <span>{text}</span>
      <button type="button" className="link-button" onClick={() => void load.refetch()}>
        Try again
      </button>
    </p>
  );
}
