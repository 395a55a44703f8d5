import type { SyncDashboard } from '@portal/contract/sync/dashboards';
import { IconEdit, IconEye, IconTrash } from '@tabler/icons-react';
import { ExplainedButton } from '../../ui/explained-button.tsx';
import styles from '../../ui/table/row-actions.module.css';

/** The actions on a dashboard, as icons with accessible names. */
export function DashboardActions(props: {
  dashboard: SyncDashboard;
  /** Why this user may not change dashboards; null when they may. */
  refusal: string | null;
  handlers: Readonly<Record<'view' | 'update' | 'remove', (dashboard: SyncDashboard) => void>>;
}) {
  const { dashboard, refusal, handlers } = props;
  const buttons = [
    { name: 'View', handle: handlers.view, Icon: IconEye, reason: null },
    { name: 'Update', handle: handlers.update, Icon: IconEdit, reason: refusal },
    { name: 'Delete', handle: handlers.remove, Icon: IconTrash, reason: refusal },
  ];
  return (
    <span className={styles.actions}>
      {buttons.map(({ name, handle, Icon, reason }) => (
        <ExplainedButton
          key={name}
          variant="subtle"
          color="gray"
          size="compact-sm"
          px={5}
          aria-label={`${name} ${dashboard.name}`}
          hint={name}
          reason={reason}
          onClick={() => handle(dashboard)}
        >
          <Icon size={17} stroke={1.6} aria-hidden />
        </ExplainedButton>
      ))}
    </span>
  );
}
