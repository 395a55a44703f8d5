import styles from './splash.module.css';

/** What stands while the page finds out who is here, or cannot. */
export function Splash({ text, onRetry }: { text: string; onRetry?: () => void }) {
  return (
    <main className={styles.splash} aria-busy={!onRetry}>
      <p role={onRetry ? 'alert' : 'status'}>{text}</p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </main>
  );
}
