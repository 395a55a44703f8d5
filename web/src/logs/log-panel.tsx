import { IconArrowDown } from '@tabler/icons-react';
import { useEffect, useMemo } from 'react';
import { formatPlural } from '../lib/format.ts';
import { EmptyLog } from './empty-log.tsx';
import { type LogChoices, toLogQuery } from './log-choices.ts';
import styles from './log-panel.module.css';
import { getLogState } from './log-state.ts';
import { LogAnnouncer, LogStatus } from './log-status.tsx';
import type { LogStream, StreamSnapshot } from './log-stream.ts';
import viewStyles from './log-view.module.css';
import { ReconnectBanner } from './reconnect-banner.tsx';

/** The lines of a log with its overlays and status line. */
export function LogPanel(props: {
  stream: LogStream | null;
  snapshot: StreamSnapshot | null;
  /** Receives the element that contains the lines. */
  setParent: (element: HTMLElement | null) => void;
  choices: LogChoices;
  onChange: (change: Partial<LogChoices>) => void;
}) {
  const { stream, snapshot, choices, onChange } = props;
  useAppliedChoices(stream, choices);
  // The overlay buttons disappear when they are pressed, so the focus moves to the lines first.
  const withFocusOnLines = (action: () => void) => () => {
    stream?.view.focus();
    action();
  };
  return (
    <>
      <div className={styles.frame}>
        <div ref={props.setParent} className={viewStyles.editor} data-timestamps={choices.timestamps} />
        {snapshot && (
          <EmptyLog
            snapshot={snapshot}
            onShowAll={withFocusOnLines(() => onChange({ levels: null, mode: 'highlight' }))}
          />
        )}
        {snapshot && <ReconnectBanner snapshot={snapshot} onRetryNow={withFocusOnLines(() => stream?.play())} />}
        {snapshot && !snapshot.isFollowing && getLogState(snapshot) !== 'stopped' && (
          <button
            type="button"
            className={styles.resume}
            title="Follow the log (End, Space)"
            onClick={withFocusOnLines(() => stream?.view.follow())}
          >
            <IconArrowDown size={15} stroke={1.7} aria-hidden />
            {snapshot.newRecords > 0 ? `${formatPlural(snapshot.newRecords, 'new record')}, follow` : 'Follow'}
          </button>
        )}
      </div>
      {snapshot && <LogStatus snapshot={snapshot} />}
      {snapshot && <LogAnnouncer snapshot={snapshot} />}
    </>
  );
}

/** Applies the view settings to the stream. */
function useAppliedChoices(stream: LogStream | null, choices: LogChoices): void {
  const { levels, find, isRegExp, matchCase, mode, wrap, timestamps } = choices;
  useEffect(() => stream?.view.wrap(wrap), [stream, wrap]);
  useEffect(() => stream?.view.showTimestamps(timestamps), [stream, timestamps]);
  const query = useMemo(
    () => toLogQuery({ levels, find, isRegExp, matchCase, mode }),
    [levels, find, isRegExp, matchCase, mode],
  );
  useEffect(() => stream?.view.search(query), [stream, query]);
}
