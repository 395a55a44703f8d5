import { formatCount } from '../lib/format.ts';
import styles from './log-panel.module.css';
import type { StreamSnapshot } from './log-stream.ts';

/** In the empty view: why there is nothing, and what to do about it. */
export function EmptyLog({ snapshot, onShowAll }: { snapshot: StreamSnapshot; onShowAll: () => void }) {
  if (snapshot.shownRecords > 0 || snapshot.isSearching) return null;
  const { records, phase } = snapshot;
  return (
    <div className={styles.empty}>
      <p>{records > 0 ? `None of ${formatCount(records)} log records is shown.` : sentenceOf(phase)}</p>
      {records > 0 && (
        <button type="button" className="button" onClick={onShowAll}>
          Show all
        </button>
      )}
    </div>
  );
}

function sentenceOf(phase: StreamSnapshot['phase']): string {
  if (phase === 'closed') return 'No log records. Play opens the stream.';
  return phase === 'streaming' ? 'No log records yet. They show here as they are written.' : 'Opening the stream.';
}
