import type { AccessGrant } from '@portal/contract/schema-access';
import { Dialog } from '../../../ui/dialog.tsx';
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
    <Dialog opened={grantId !== null} onClose={onClose} title="Grant receipt" size="xl">
      {grantId !== null && <GrantReceipt grantId={grantId} onRevert={onRevert} />}
    </Dialog>
  );
}
