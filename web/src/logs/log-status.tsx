import { VisuallyHidden } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { formatCount, formatPlural } from '../lib/format.ts';
import { StatusChip } from '../ui/status-chip.tsx';
import styles from './log-panel.module.css';
import type { StreamSnapshot } from './log-stream.ts';

/** Shows whether the view is following, paused or stopped. */
export function StateChip({ snapshot }: { snapshot: StreamSnapshot | null }) {
  const icon = { size: 13, stroke: 1.8, 'aria-hidden': true } as const;
  if (snapshot === null || snapshot.phase === 'closed') {
    return <StatusChip tone="neutral" label="Stopped" icon={<IconPlayerStop {...icon} />} />;
  }
  if (snapshot.isFollowing) {
    return <StatusChip tone="success" label="Following" icon={<IconPlayerPlay {...icon} />} />;
  }
  return <StatusChip tone="warning" label={formatPaused(snapshot)} icon={<IconPlayerPause {...icon} />} />;
}

function formatPaused(snapshot: StreamSnapshot): string {
  return `Paused (${formatCount(snapshot.newRecords)} new)`;
}

/** The number of log records, what is missing, and the connection status. */
export function LogStatus({ snapshot }: { snapshot: StreamSnapshot }) {
  const { records, shownRecords, droppedRecords, lostLines, unknownGaps } = snapshot;
  return (
    <div className={styles.status}>
      {/* Not announced: the count changes ten times a second. */}
      <span role="status" aria-label="Log records" aria-live="off">
        {formatPlural(records, 'log record')}
      </span>
      {shownRecords < records && <span>{formatCount(shownRecords)} shown</span>}
      {droppedRecords > 0 && (
        <span title="The page stores up to a million lines, depending on memory.">
          {formatPlural(droppedRecords, 'oldest record')} dropped
        </span>
      )}
      {(lostLines > 0 || unknownGaps > 0) && (
        <span className={styles.lost}>{describeGaps(lostLines, unknownGaps)}</span>
      )}
      <span className={styles.message}>{snapshot.message}</span>
    </div>
  );
}

function describeGaps(lostLines: number, unknownGaps: number): string {
  const known = lostLines > 0 ? [`${formatPlural(lostLines, 'line')} missing`] : [];
  const unknown = unknownGaps > 0 ? [`${formatPlural(unknownGaps, 'gap')} of unknown size`] : [];
  return [...known, ...unknown].join(', ');
}

const announceIntervalMs = 30_000;

/** Announces state changes immediately and counts at intervals to screen readers. */
export function LogAnnouncer({ snapshot }: { snapshot: StreamSnapshot }) {
  const [announcement, setAnnouncement] = useState('');
  const latest = useRef(snapshot);
  latest.current = snapshot;
  const state = `${snapshot.phase === 'closed' ? 'Stopped' : snapshot.isFollowing ? 'Following' : 'Paused'}. ${snapshot.message}`;
  useEffect(() => setAnnouncement(state), [state]);
  useEffect(() => {
    const timer = setInterval(() => {
      const { phase, isFollowing, newRecords, records } = latest.current;
      if (phase === 'streaming')
        setAnnouncement(isFollowing ? formatPlural(records, 'log record') : `Paused, ${newRecords} new`);
    }, announceIntervalMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <VisuallyHidden>
      <span aria-live="polite">{announcement}</span>
    </VisuallyHidden>
  );
}
