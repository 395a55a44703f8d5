import { Modal, type ModalProps } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ShownIntegration } from '../list/use-shown-integration.ts';
import styles from '../sync.module.css';

/**
 * The dialog about one integration. It stays open, with a notice, if another user deletes the
 * integration.
 */
export function IntegrationModal(props: {
  shown: ShownIntegration;
  isOpen: boolean;
  title: (integration: SyncIntegration) => ReactNode;
  size: NonNullable<ModalProps['size']>;
  onClose: () => void;
  children: (integration: SyncIntegration) => ReactNode;
}) {
  const { integration, isDeleted } = props.shown;
  return (
    <Modal
      opened={props.isOpen && integration !== null}
      onClose={props.onClose}
      title={integration && props.title(integration)}
      size={props.size}
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      {isDeleted && (
        <p role="alert" className={styles.notice}>
          <IconAlertTriangle size={16} stroke={1.7} aria-hidden />
          This integration was deleted. The last known values are shown.
        </p>
      )}
      {integration && props.children(integration)}
    </Modal>
  );
}
