import { Modal } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import type { ScheduledFunctionResult } from '@portal/contract/scheduled-functions';
import { formatDuration } from '../lib/format.ts';
import { CopyButton } from '../ui/copyable.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import styles from './function-failure-modal.module.css';
import { getDurationMs } from './function-result.ts';

/** Shows the exception and stack trace of a function run as text. */
export function FunctionFailureModal(props: {
  opened: boolean;
  onClose: () => void;
  result: ScheduledFunctionResult | null;
}) {
  const { result } = props;
  const durationMs = result && getDurationMs(result);
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
          <p className={styles.exception}>{result.exception}</p>
          <p className="quiet">
            Started <RelativeTime at={result.started} />
            {typeof durationMs === 'number' ? `, failed after ${formatDuration(durationMs)}` : ', never finished'}
          </p>
          <div className={styles.trace}>
            <pre>{trace}</pre>
            <CopyButton value={`${result.qualifiedName} ${result.started}\n${trace}`} label="Copy stack trace" />
          </div>
        </>
      )}
    </Modal>
  );
}
