import { formatCount } from '../../format/numbers.ts';
import { describeLogState } from '../stream/log-state.ts';
import styles from './log-panel.module.css';
import type { StreamSnapshot } from './log-session.ts';

/** Explains why no records are shown, and what to do. */
export function EmptyLog({ snapshot, onShowAll }: { snapshot: StreamSnapshot; onShowAll: () => void }) {
  if (snapshot.shownRecords > 0 || snapshot.isSearching) return null;
  const { records } = snapshot;
  return (
    <div className={styles.empty}>
      <p>{records > 0 ? `No matches in ${formatCount(records)} log records.` : describeLogState(snapshot).emptyText}</p>
      {records > 0 && (
        <button type="button" className="button" onClick={onShowAll}>
          Show all
        </button>
      )}
    </div>
  );
}
