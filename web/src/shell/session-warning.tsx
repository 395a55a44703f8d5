import { IconClockExclamation } from '@tabler/icons-react';
import { type SyntheticEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { formatCountdown } from '../format/durations.ts';
import { formatLocalTime } from '../format/instants.ts';
import { followLifetime, type SessionEnd, sessionWarning, stay } from '../session/session-lifetime.ts';
import { signOut } from '../session/session-store.ts';
import { useSession } from '../session/use-session.ts';
import { useStore } from '../state/store.ts';
import styles from './session-warning.module.css';

/** Warns two minutes before the session ends. One click continues it. */
export function SessionWarning() {
  useEffect(followLifetime, []);
  const end = useStore(sessionWarning);
  return end && <WarningDialog end={end} />;
}

/** An element of the browser, because it must be above every other dialog and take their focus. */
function WarningDialog({ end }: { readonly end: SessionEnd }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const answerButton = useRef<HTMLButtonElement>(null);
  const [isStaying, setIsStaying] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  const [isNoticed, setIsNoticed] = useState(false);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Not on Sign out, which is first.
    answerButton.current?.focus();
    // Gives the focus back, which works only before the element is removed.
    return () => element?.close();
  }, []);
  const answer = async () => {
    if (!end.canExtend) return setIsNoticed(true);
    setIsStaying(true);
    setHasFailed(!(await stay()));
    setIsStaying(false);
  };
  /** Escape is an answer of a person, who is there. */
  const onCancel = (event: SyntheticEvent) => {
    event.preventDefault();
    void answer();
  };
  if (isNoticed) return null;
  return (
    <dialog
      ref={dialog}
      role="alertdialog"
      aria-labelledby="session-warning-title"
      aria-describedby="session-warning-text"
      className={styles.dialog}
      tabIndex={-1}
      {...stopPropagation}
      onCancel={onCancel}
      // A second Escape closes it without a question.
      onClose={() => dialog.current?.showModal()}
    >
      <h2 id="session-warning-title" className="line">
        <IconClockExclamation size={20} stroke={1.7} aria-hidden />
        {end.canExtend ? 'Are you still there?' : 'Your session ends soon'}
      </h2>
      <div id="session-warning-text" className="stack-s">
        <WarningText end={end} />
      </div>
      <Countdown atMs={end.atMs} />
      <p role="alert" className="danger">
        {hasFailed && 'The portal did not respond. Try again.'}
      </p>
      <div className="buttons">
        <button type="button" className={styles.button} {...stopPropagation} onClick={() => void signOut()}>
          Sign out
        </button>
        <button
          ref={answerButton}
          type="button"
          className={`${styles.button} ${styles.primary}`}
          {...stopPropagation}
          aria-disabled={isStaying}
          onClick={() => !isStaying && void answer()}
        >
          {end.canExtend ? 'Stay signed in' : 'Close'}
        </button>
      </div>
    </dialog>
  );
}

/** Keeps Escape from also closing a dialog of the component library below. */
const stopPropagation = { 'data-mantine-stop-propagation': 'true' };

function WarningText({ end }: { readonly end: SessionEnd }) {
  const { session } = useSession();
  if (end.canExtend)
    return (
      <p>
        You have not used the portal for a while. You will be signed out at {formatLocalTime(end.atMs)}. What you
        entered will be there when you sign in again.
      </p>
    );
  return (
    <p>
      {session.isReadOnly ? 'This screen has been' : 'You have been'} signed in for the maximum time, and will be signed
      out at {formatLocalTime(end.atMs)}. What you entered will be there when you sign in again.
    </p>
  );
}

/** Not announced each second; the text has the time. */
function Countdown({ atMs }: { readonly atMs: number }) {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className={styles.countdown} aria-hidden>
      {formatCountdown(atMs - Date.now())}
    </p>
  );
}
