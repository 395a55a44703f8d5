import type { SyncDashboard } from '@portal/contract/sync/dashboards';
import { formatPlural } from '../../format/numbers.ts';
import { useSession } from '../../session/use-session.ts';
import { ConfirmModal } from '../../ui/confirm-modal.tsx';
import { useDialog } from '../../ui/use-dialog.ts';
import { useDeleteDashboard } from './use-dashboards.ts';

/** Returns a dialog that deletes a dashboard after the user types a confirmation word. */
export function useDeleteDialog() {
  const { session } = useSession();
  const deletion = useDeleteDashboard();
  const { subject: dashboard, open, frame } = useDialog<SyncDashboard | null>(null);
  const dialog = (
    <ConfirmModal
      {...frame}
      title="Delete this dashboard?"
      confirmLabel="Delete"
      confirmWord="DELETE"
      danger
      pending={deletion.isPending}
      onConfirm={() => dashboard && deletion.mutate(dashboard.name, { onSettled: frame.onClose })}
    >
      {dashboard && (
        <p>
          <strong>{dashboard.name}</strong> in <strong>{session.environment.name}</strong>, with{' '}
          {formatPlural(dashboard.appIds.length, 'app')}. It is deleted for everyone; its integrations are not affected.
        </p>
      )}
    </ConfirmModal>
  );
  return { ask: open, dialog };
}
