import { ConfirmModal } from '../../../ui/confirm-modal.tsx';

/** Confirms the removal of an entry point in the specified words. */
export function RemoveEntryPointModal(props: {
  entryPoint: string;
  opened: boolean;
  pending: boolean;
  onClose: () => void;
  onConfirm: () => void;
}) {
  const { entryPoint, ...modal } = props;
  return (
    <ConfirmModal {...modal} title="Remove entry point" confirmLabel="Remove" danger>
      <p>Are you sure you want to remove the entry point {entryPoint} from the App Config?</p>
      <p>This action cannot be undone.</p>
    </ConfirmModal>
  );
}
