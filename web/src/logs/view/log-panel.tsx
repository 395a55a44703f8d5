import { IconArrowDown } from '@tabler/icons-react';
import { useCallback, useEffect, useMemo } from 'react';
import { formatPlural } from '../../format/numbers.ts';
import { getLogState } from '../stream/log-state.ts';
import type { LogField } from '../text/log-fields.ts';
import { EmptyLog } from './empty-log.tsx';
import { type LogChoices, toLogQuery } from './log-choices.ts';
import { LogFieldsPanel } from './log-fields-panel.tsx';
import styles from './log-panel.module.css';
import type { LogStream, StreamSnapshot } from './log-session.ts';
import { LogAnnouncer, LogStatus, StateChip } from './log-status.tsx';
import viewStyles from './log-view.module.css';
import { isInterruption, ReconnectBanner } from './reconnect-banner.tsx';

/** The lines of a log with its overlays. The screen shows their count where it is in sight. */
export function LogPanel(props: {
  stream: LogStream | null;
  snapshot: StreamSnapshot | null;
  /** Receives the element that contains the lines. */
  setParent: (element: HTMLElement | null) => void;
  choices: LogChoices;
  onChange: (change: Partial<LogChoices>) => void;
  /**
   * Whether the state is shown over the lines and the count below them, where the screen has no
   * other place for them.
   */
  showsState?: boolean;
}) {
  const { stream, snapshot, choices, onChange } = props;
  useAppliedChoices(stream, choices);
  const scrollToFields = useCallback(() => stream?.view.scrollToFields(), [stream]);
  // The overlay buttons disappear when they are pressed, so the focus moves to the lines first.
  const withFocusOnLines =
    <Args extends unknown[]>(action: (...args: Args) => void) =>
    (...args: Args) => {
      stream?.view.focus();
      action(...args);
    };
  return (
    <>
      <div className={styles.frame}>
        <div className={styles.lines}>
          <div ref={props.setParent} className={viewStyles.editor} data-log data-timestamps={choices.timestamps} />
          {snapshot && (
            <EmptyLog
              snapshot={snapshot}
              onShowAll={withFocusOnLines(() => onChange({ levels: null, field: null, mode: 'highlight' }))}
            />
          )}
          {props.showsState && !isInterruption(snapshot) && (
            <div className={styles.state}>
              <StateChip snapshot={snapshot} />
            </div>
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
        {snapshot?.openFields && (
          <LogFieldsPanel
            fields={snapshot.openFields}
            onFilter={withFocusOnLines((field: LogField) => onChange({ field }))}
            onShown={scrollToFields}
            onClose={() => stream?.view.closeFields()}
          />
        )}
      </div>
      {props.showsState && snapshot && <LogStatus snapshot={snapshot} />}
      {stream && snapshot && <LogAnnouncer stream={stream} snapshot={snapshot} />}
    </>
  );
}

/** Applies the view settings to the stream. */
function useAppliedChoices(stream: LogStream | null, choices: LogChoices): void {
  const { levels, find, isRegExp, matchCase, mode, field, wrap, timestamps } = choices;
  useEffect(() => stream?.view.wrap(wrap), [stream, wrap]);
  useEffect(() => stream?.view.showTimestamps(timestamps), [stream, timestamps]);
  const query = useMemo(
    () => toLogQuery({ levels, find, isRegExp, matchCase, mode, field }),
    [levels, find, isRegExp, matchCase, mode, field],
  );
  useEffect(() => stream?.view.search(query), [stream, query]);
}
