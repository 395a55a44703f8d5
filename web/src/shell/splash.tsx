import styles from './splash.module.css';

interface SplashProps {
  readonly text: string;
  /** Of the failed call. */
  readonly requestId?: string | undefined;
  readonly onRetry?: () => void;
  /** Offers to sign out, so that the user can sign in elsewhere. */
  readonly onLeave?: () => void;
}

/** Shown while the session is loading, or when it could not be loaded. */
export function Splash({ text, requestId, onRetry, onLeave }: SplashProps) {
  return (
    <main className={styles.splash} aria-busy={!onRetry}>
      <p role={onRetry ? 'alert' : 'status'}>
        {text} {requestId !== undefined && `Request ${requestId}`}
      </p>
      {onRetry && (
        <button type="button" className="button" onClick={onRetry}>
          Try again
        </button>
      )}
      {onLeave && (
        <button type="button" className="button" onClick={onLeave}>
          Sign out
        </button>
      )}
    </main>
  );
}
