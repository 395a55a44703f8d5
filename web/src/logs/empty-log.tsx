import { formatCount } from '../lib/format.ts';
import styles from './log-panel.module.css';
import type { StreamSnapshot } from './log-stream.ts';

/** Explains why no records are shown, and what to do. */
export function EmptyLog({ snapshot, onShowAll }: { snapshot: StreamSnapshot; onShowAll: () => void }) {
  if (snapshot.shownRecords > 0 || snapshot.isSearching) return null;
  const { records, phase } = snapshot;
  return (
    <div className={styles.empty}>
      <p>{records > 0 ? `No matches in ${formatCount(records)} log records.` : describePhase(phase)}</p>
      {records > 0 && (
        <button type="button" className="button" onClick={onShowAll}>
          Show all
        </button>
      )}
    </div>
  );
}

function describePhase(phase: StreamSnapshot['phase']): string {
  if (phase === 'closed') return 'No log records. Play opens the stream.';
  return phase === 'streaming' ? 'No log records yet. New records appear here.' : 'Opening the stream …';
}
