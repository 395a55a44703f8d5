import { VisuallyHidden } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { countOf, formatCount } from '../lib/format.ts';
import { StatusChip } from '../ui/status-chip.tsx';
import styles from './log-panel.module.css';
import type { StreamSnapshot } from './log-stream.ts';

/** Following, Paused or Stopped: what the view does, always to be seen. */
export function StateChip({ snapshot }: { snapshot: StreamSnapshot | null }) {
  const icon = { size: 13, stroke: 1.8, 'aria-hidden': true } as const;
  if (snapshot === null || snapshot.phase === 'closed') {
    return <StatusChip tone="neutral" label="Stopped" icon={<IconPlayerStop {...icon} />} />;
  }
  if (snapshot.isFollowing) {
    return <StatusChip tone="success" label="Following" icon={<IconPlayerPlay {...icon} />} />;
  }
  return <StatusChip tone="warning" label={pausedWord(snapshot)} icon={<IconPlayerPause {...icon} />} />;
}

function pausedWord(snapshot: StreamSnapshot): string {
  return `Paused (${formatCount(snapshot.newRecords)} new)`;
}

/** The count of log records, what is not among them, and what the connection says. */
export function LogStatus({ snapshot }: { snapshot: StreamSnapshot }) {
  const { records, shownRecords, droppedRecords, lostLines, unknownGaps } = snapshot;
  return (
    <div className={styles.status}>
      {/* A count that changes ten times a second is for reading when one wants, not for announcing. */}
      <span role="status" aria-label="Log records" aria-live="off">
        {countOf(records, 'log record')}
      </span>
      {shownRecords < records && <span>{formatCount(shownRecords)} shown</span>}
      {droppedRecords > 0 && (
        <span title="The page keeps the last million lines, within a bound of memory.">
          {countOf(droppedRecords, 'oldest record')} dropped
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
  const known = lostLines > 0 ? [`${countOf(lostLines, 'line')} missing`] : [];
  const unknown = unknownGaps > 0 ? [`${countOf(unknownGaps, 'gap')} of unknown size`] : [];
  return [...known, ...unknown].join(', ');
}

const announceMs = 30_000;

/** Says state changes at once and counts now and then to whoever listens instead of looking. */
export function LogAnnouncer({ snapshot }: { snapshot: StreamSnapshot }) {
  const [said, setSaid] = useState('');
  const latest = useRef(snapshot);
  latest.current = snapshot;
  const state = `${snapshot.phase === 'closed' ? 'Stopped' : snapshot.isFollowing ? 'Following' : 'Paused'}. ${snapshot.message}`;
  useEffect(() => setSaid(state), [state]);
  useEffect(() => {
    const timer = setInterval(() => {
      const { phase, isFollowing, newRecords, records } = latest.current;
      if (phase === 'streaming') setSaid(isFollowing ? countOf(records, 'log record') : `Paused, ${newRecords} new`);
    }, announceMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <VisuallyHidden>
      <span aria-live="polite">{said}</span>
    </VisuallyHidden>
  );
}
