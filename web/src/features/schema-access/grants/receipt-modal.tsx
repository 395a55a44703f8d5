import { Modal } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import type { AccessGrant } from '@portal/contract/schema-access';
import { GrantReceipt } from './grant-receipt.tsx';

/** Shows the receipt of a grant in a dialog. */
export function ReceiptModal(props: {
  /** null: closed */
  grantId: string | null;
  onClose: () => void;
  onRevert: (grant: AccessGrant) => void;
}) {
  const { grantId, onClose, onRevert } = props;
  return (
    <Modal
      opened={grantId !== null}
      onClose={onClose}
      title="Grant receipt"
      size="xl"
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      {grantId !== null && <GrantReceipt grantId={grantId} onRevert={onRevert} />}
    </Modal>
  );
}
