import { IconAlertTriangle } from '@tabler/icons-react';
import { useRef } from 'react';
import { CopyButton } from './copyable.tsx';
import { describeProblem } from './describe-problem.ts';
import { usePopupTitle } from './popups.ts';
import styles from './problem-note.module.css';
import { useFocusFallback } from './use-focus-fallback.ts';

/**
 * Shows a failure where its data would be: what happened, what is still shown, and a retry button.
 * It is announced once: by the popup if there is one, which also has the title.
 */
export function ProblemNote(props: {
  problem: unknown;
  /** Replaces the problem's own title. */
  title?: string | undefined;
  hasStaleData?: boolean;
  onRetry?: (() => void) | undefined;
}) {
  const popupTitle = usePopupTitle(props.problem);
  const { title, message, requestId, copyText } = describeProblem(
    props.problem,
    props.title ?? popupTitle ?? undefined,
  );
  const note = useRef<HTMLDivElement>(null);
  useFocusFallback(note);
  return (
    <div ref={note} className={styles.root} role={popupTitle === null ? 'alert' : undefined}>
      <IconAlertTriangle size={18} stroke={1.6} aria-hidden />
      <div className="text">
        {title ? <strong>{title} </strong> : null}
        {message}
        {props.hasStaleData ? ' Showing the data from the last successful load.' : null}
        {requestId ? <span className={styles.request}>Request {requestId}</span> : null}
      </div>
      <CopyButton value={copyText} label="Copy error" />
      {props.onRetry && (
        <button type="button" className={styles.retry} onClick={props.onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
