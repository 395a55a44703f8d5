import { TextInput } from '@mantine/core';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { useCallback, useState } from 'react';
import { ConfirmModal } from '../../../ui/confirm-modal.tsx';
import { useDeleteIntegration } from '../use-integrations.ts';

/** Returns a dialog that deletes an integration after the user types a confirmation word. */
export function useDeleteDialog() {
  const destroy = useDeleteIntegration();
  // Keeps its value while the dialog closes.
  const [integration, setIntegration] = useState<SyncIntegration | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const ask = useCallback((next: SyncIntegration) => {
    setIntegration(next);
    setIsOpen(true);
  }, []);
  const dialog = (
    <ConfirmModal
      opened={isOpen}
      onClose={() => setIsOpen(false)}
      title="Delete this integration?"
      confirmLabel="Delete"
      confirmWord="DELETE"
      danger
      pending={destroy.isPending}
      onConfirm={() => integration && destroy.mutate(integration, { onSettled: () => setIsOpen(false) })}
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
  return { ask, dialog };
}
