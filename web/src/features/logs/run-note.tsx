import type { App } from '@portal/contract/apps';
import { IconClockHour4 } from '@tabler/icons-react';
import { useState } from 'react';
import { formatInstant, type TimestampMode } from '../../format/instants.ts';
import type { LogStream } from '../../logs/view/log-session.ts';
import { useAddress } from '../../state/use-address.ts';
import { CopyButton } from '../../ui/copyable.tsx';
import styles from './logs-page.module.css';
import { getMinutes, getRunSql, readRunTimes, withoutRunTimes } from './run-in-log.ts';

/**
 * Shows which minute to look for, after a link from a run of a function. The stream cannot start in
 * the past, so the lines may be in the app's database only.
 */
export function RunNote(props: { app: Pick<App, 'schemaName'>; stream: LogStream | null; timestamps: TimestampMode }) {
  const { app, stream } = props;
  const [address, changeAddress] = useAddress();
  const [isMissing, setIsMissing] = useState(false);
  const run = readRunTimes(address);
  if (run === null) return null;
  const format = (ms: number) => formatInstant(new Date(ms), props.timestamps === 'utc');
  const goThere = () => {
    const { fromMs, toMs } = getMinutes(run);
    const isFound = stream?.view.scrollToTime(fromMs, toMs) ?? false;
    setIsMissing(!isFound);
    if (isFound) stream?.view.focus();
  };
  return (
    <div className={styles.run} role="note" aria-label="Run to look for">
      <IconClockHour4 size={16} stroke={1.6} aria-hidden />
      <div className="grow">
        <p>
          The run started on <strong>{format(run.fromMs)}</strong>
          {run.toMs > run.fromMs && (
            <>
              {' '}
              and ended on <strong>{format(run.toMs)}</strong>
            </>
          )}
          .{' '}
          <button type="button" className="plain-link" onClick={goThere}>
            Go to that minute
          </button>{' '}
          <span role="status">{isMissing && 'This page has no lines of that minute.'}</span>
        </p>
        <p className="note">
          Lines from before this log starts are only in the app’s database. Copy SQL that reads those of the run:{' '}
          <CopyButton value={getRunSql(app.schemaName, run)} label="Copy the SQL for the lines of the run" />
        </p>
      </div>
      <button type="button" className="plain-link" onClick={() => changeAddress(withoutRunTimes)}>
        Hide
      </button>
    </div>
  );
}
