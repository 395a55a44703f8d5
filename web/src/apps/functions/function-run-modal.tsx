import { Modal } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import type { ScheduledFunctionResult } from '@portal/contract/scheduled-functions';
import { Link } from '@tanstack/react-router';
import { formatDuration } from '../../format/durations.ts';
import { CopyButton } from '../../ui/copyable.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { getDurationMs, getResultKind } from './function-result.ts';
import styles from './function-run-modal.module.css';

/**
 * Shows a run of a function: its times, its exception and stack trace as text if it failed, and
 * where to go on.
 */
export function FunctionRunModal(props: {
  appId: string;
  opened: boolean;
  onClose: () => void;
  result: ScheduledFunctionResult | null;
}) {
  const { result } = props;
  const trace = result?.stacktrace || result?.exception || '';
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={result?.qualifiedName ?? ''}
      size="xl"
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      {result && (
        <>
          {result.exception && <p className={styles.exception}>{result.exception}</p>}
          <p className="quiet">
            Started <RelativeTime at={result.started} />, {describeEnd(result)}
          </p>
          <RunLinks appId={props.appId} result={result} onFollow={props.onClose} />
          {trace !== '' && (
            <div className={styles.trace}>
              <pre>{trace}</pre>
              <CopyButton value={`${result.qualifiedName} ${result.started}\n${trace}`} label="Copy stack trace" />
            </div>
          )}
        </>
      )}
    </Modal>
  );
}

function describeEnd(result: ScheduledFunctionResult): string {
  const kind = getResultKind(result);
  const durationMs = getDurationMs(result);
  if (durationMs === null) return kind === 'failed' ? 'never finished' : 'still running';
  return `${kind === 'failed' ? 'failed' : 'finished'} after ${formatDuration(durationMs)}`;
}

/** Links to the earlier runs of a function, its timeout, and the log of its app. */
function RunLinks(props: {
  appId: string;
  result: ScheduledFunctionResult;
  /** Called because a link may lead to the page that is open. */
  onFollow: () => void;
}) {
  const { appId, result, onFollow } = props;
  const { qualifiedName, started, finished } = result;
  const [, name = qualifiedName] = qualifiedName.split(':');
  const params = { appid: appId };
  return (
    <p className={styles.links}>
      <Link
        to="/app/{-$appid}"
        params={params}
        search={{ tab: 'functions', 'runs.q': qualifiedName }}
        onClick={onFollow}
      >
        Earlier runs
      </Link>
      <Link to="/config/$appid" params={params} search={{ q: qualifiedName }} onClick={onFollow}>
        Its timeout
      </Link>
      <Link
        to="/logs/$appid"
        params={params}
        search={{ find: name, 'run-from': started, 'run-to': finished ?? '' }}
        onClick={onFollow}
      >
        Find it in the log
      </Link>
    </p>
  );
}
