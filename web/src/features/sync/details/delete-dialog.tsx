import { TextInput } from '@mantine/core';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { ConfirmModal } from '../../../ui/confirm-modal.tsx';
import { useDialog } from '../../../ui/use-dialog.ts';
import { useDeleteIntegration } from '../use-integrations.ts';

/** Returns a dialog that deletes an integration after the user types a confirmation word. */
export function useDeleteDialog() {
  const destroy = useDeleteIntegration();
  const { subject: integration, open, frame } = useDialog<SyncIntegration | null>(null);
  const dialog = (
    <ConfirmModal
      {...frame}
      title="Delete this integration?"
      confirmLabel="Delete"
      confirmWord="DELETE"
      danger
      pending={destroy.isPending}
      onConfirm={() => integration && destroy.mutate(integration, { onSettled: frame.onClose })}
    >
      {integration && (
        <div className="stack">
          <TextInput label="App ID" readOnly value={integration.id} />
          <TextInput label="Name" readOnly value={integration.appName} />
          <p className="note">
            This deletes its configuration, log and history. Synced data stays on both sides; nothing more is synced.
          </p>
        </div>
      )}
    </ConfirmModal>
  );
  return { ask: open, dialog };
}
