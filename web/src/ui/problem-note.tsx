import { IconAlertTriangle } from '@tabler/icons-react';
import { CopyButton } from './copyable.tsx';
import { describeProblem } from './describe-problem.ts';
import styles from './problem-note.module.css';

/** A failure in the place where its data would be: what happened, what was kept, what to do. */
export function ProblemNote(props: { problem: unknown; keptData?: boolean; onRetry?: (() => void) | undefined }) {
  const { title, message, requestId, copyText } = describeProblem(props.problem);
  return (
    <div className={styles.root} role="alert">
      <IconAlertTriangle size={18} stroke={1.6} aria-hidden />
      <div className="text">
        {title ? <strong>{title} </strong> : null}
        {message}
        {props.keptData ? ' What was loaded before is still shown.' : null}
        {requestId ? <span className={styles.request}>Request {requestId}</span> : null}
      </div>
      <CopyButton value={copyText} label="Copy the error" />
      {props.onRetry && (
        <button type="button" className={styles.retry} onClick={props.onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
