import { Modal } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import type { ScheduledFunctionResult } from '@portal/contract/scheduled-functions';
import { formatDuration } from '../lib/format.ts';
import { CopyButton } from '../ui/copyable.tsx';
import { When } from '../ui/when.tsx';
import styles from './function-failure-modal.module.css';
import { tookMsOf } from './function-result.ts';

/** The exception and the stack trace of a run, as text. */
export function FunctionFailureModal(props: {
  opened: boolean;
  onClose: () => void;
  result: ScheduledFunctionResult | null;
}) {
  const { result } = props;
  const tookMs = result && tookMsOf(result);
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
            Started <When at={result.started} />
            {typeof tookMs === 'number' ? `, failed after ${formatDuration(tookMs)}` : ', without an end'}
          </p>
          <div className={styles.trace}>
            <pre>{trace}</pre>
            <CopyButton value={`${result.qualifiedName} ${result.started}\n${trace}`} label="Copy the stack trace" />
          </div>
        </>
      )}
    </Modal>
  );
}
