import type { SyncDashboard } from '@portal/contract/sync/dashboards';
import { useState } from 'react';
import { formatPlural } from '../../format/numbers.ts';
import { useSession } from '../../session/use-session.ts';
import { ConfirmModal } from '../../ui/confirm-modal.tsx';
import { useDeleteDashboard } from './use-dashboards.ts';

/** Returns a dialog that deletes a dashboard after the user types a confirmation word. */
export function useDeleteDialog() {
  const { session } = useSession();
  const deletion = useDeleteDashboard();
  // Keeps its value while the dialog closes.
  const [dashboard, setDashboard] = useState<SyncDashboard | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const ask = (next: SyncDashboard) => {
    setDashboard(next);
    setIsOpen(true);
  };
  const dialog = (
    <ConfirmModal
      opened={isOpen}
      onClose={() => setIsOpen(false)}
      title="Delete this dashboard?"
      confirmLabel="Delete"
      confirmWord="DELETE"
      danger
      pending={deletion.isPending}
      onConfirm={() => dashboard && deletion.mutate(dashboard.name, { onSettled: () => setIsOpen(false) })}
    >
      {dashboard && (
        <p>
          <strong>{dashboard.name}</strong> in <strong>{session.environment.name}</strong>, with{' '}
          {formatPlural(dashboard.appIds.length, 'app')}. It is deleted for everyone; its integrations are not affected.
        </p>
      )}
    </ConfirmModal>
  );
  return { ask, dialog };
}
