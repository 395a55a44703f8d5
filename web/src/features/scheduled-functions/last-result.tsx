import type { ScheduledFunctionResult } from '@portal/contract/scheduled-functions';
import { IconLoader } from '@tabler/icons-react';
import { getDurationMs, getFirstLine, getResultKind } from '../../apps/functions/function-result.ts';
import { formatDuration, formatExactMs } from '../../format/durations.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusChip } from '../../ui/status-chip.tsx';
import styles from './scheduled-functions.module.css';

/**
 * The result, start and duration of a function's last run, or why it is missing. A failure opens
 * its details.
 */
export function LastResult({
  result,
  missingText,
  onOpen,
}: {
  result: ScheduledFunctionResult | null;
  missingText: string;
  onOpen: () => void;
}) {
  if (!result) return <span className="quiet">{missingText}</span>;
  const kind = getResultKind(result);
  const tookMs = getDurationMs(result);
  return (
    <span className={styles.result}>
      {kind === 'ok' && <StatusChip tone="success" label="OK" />}
      {kind === 'running' && (
        <StatusChip tone="primary" label="Running" icon={<IconLoader size={13} stroke={1.8} aria-hidden />} />
      )}
      {kind === 'failed' && (
        <button
          type="button"
          className={styles.failed}
          title={getFirstLine(result.exception ?? '')}
          aria-label={`Failed: ${result.qualifiedName}, show the exception`}
          onClick={onOpen}
        >
          <StatusChip tone="danger" label="Failed" />
        </button>
      )}
      <span className="quiet">
        <RelativeTime at={result.started} />
        {tookMs !== null && (
          <>
            {' · '}
            <span title={formatExactMs(tookMs)}>{formatDuration(tookMs)}</span>
          </>
        )}
      </span>
    </span>
  );
}
