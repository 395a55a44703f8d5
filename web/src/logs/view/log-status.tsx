import { VisuallyHidden } from '@mantine/core';
import {
  IconHistory,
  IconHourglassLow,
  IconLoader,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconPlugConnectedX,
} from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { formatCount, formatPlural } from '../../format/numbers.ts';
import { StatusChip } from '../../ui/status-chip.tsx';
import { describeLogState, getLogState, type LogState } from '../stream/log-state.ts';
import styles from './log-panel.module.css';
import type { LogStream, StreamSnapshot } from './log-session.ts';
import { useSecondsUntil } from './use-seconds-until.ts';

const icons: Readonly<Record<LogState, typeof IconPlayerPlay>> = {
  opening: IconLoader,
  reading: IconHistory,
  following: IconPlayerPlay,
  paused: IconPlayerPause,
  interrupted: IconPlugConnectedX,
  waiting: IconHourglassLow,
  stopped: IconPlayerStop,
};

/** Shows the state of the log. */
export function StateChip({ snapshot }: { snapshot: StreamSnapshot | null }) {
  const { state, tone, label } = describeLogState(snapshot, useSecondsUntil(snapshot?.retryAt ?? null));
  const Icon = icons[state];
  return <StatusChip tone={tone} label={label} icon={<Icon size={13} stroke={1.8} aria-hidden />} />;
}

/** The number of log records, what is missing, and the connection status. */
export function LogStatus({ snapshot }: { snapshot: StreamSnapshot }) {
  const { records, shownRecords, droppedRecords, lostLines, unknownGaps } = snapshot;
  return (
    <span className={styles.status}>
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
    </span>
  );
}

function describeGaps(lostLines: number, unknownGaps: number): string {
  const known = lostLines > 0 ? [`${formatPlural(lostLines, 'line')} missing`] : [];
  const unknown = unknownGaps > 0 ? [`${formatPlural(unknownGaps, 'gap')} of unknown size`] : [];
  return [...known, ...unknown].join(', ');
}

const announceIntervalMs = 30_000;

/** Announces state changes and actions immediately, and counts at intervals, to screen readers. */
export function LogAnnouncer({ stream, snapshot }: { stream: LogStream; snapshot: StreamSnapshot }) {
  const [announcement, setAnnouncement] = useState('');
  const latest = useRef(snapshot);
  latest.current = snapshot;
  const state = describeLogState(snapshot).announcement;
  useEffect(() => setAnnouncement(state), [state]);
  useEffect(() => stream.action.subscribe(() => setAnnouncement(stream.action.get())), [stream]);
  useEffect(() => {
    const timer = setInterval(() => {
      const { newRecords, records } = latest.current;
      const current = getLogState(latest.current);
      if (current === 'following') setAnnouncement(formatPlural(records, 'log record'));
      if (current === 'paused') setAnnouncement(`Paused, ${newRecords} new`);
    }, announceIntervalMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <VisuallyHidden>
      <span aria-live="polite">{announcement}</span>
    </VisuallyHidden>
  );
}
