import { dashboardTexts, type SyncDashboard } from '@portal/contract/sync/dashboards';
import { IconEdit, IconEye, IconPlus, IconTrash } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRefusal, useSession } from '../../session/use-session.ts';
import { ExplainedButton } from '../../ui/explained-button.tsx';
import { InfoCards } from '../../ui/info-cards.tsx';
import { Page } from '../../ui/page.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import type { DataColumn } from '../../ui/table/data-table.types.ts';
import { useProblemPopup } from '../../ui/use-problem-popup.ts';
import { DashboardActions } from './dashboard-actions.tsx';
import { useDashboardDialog } from './dashboard-modal.tsx';
import { useDeleteDialog } from './delete-dialog.tsx';
import { useDashboards } from './use-dashboards.ts';

const columns: readonly DataColumn<SyncDashboard>[] = [
  {
    id: 'name',
    header: 'Name',
    value: ({ name }) => name,
    cell: ({ name }) => (
      <Link to="/sync-dashboard/{-$name}" params={{ name }}>
        {name}
      </Link>
    ),
  },
  { id: 'apps', header: 'Apps', value: ({ appIds }) => appIds.length, align: 'right', width: 90 },
];

const cards = [
  { Icon: IconEye, name: 'View', text: 'See the status of a dashboard’s integrations, refreshed every five minutes.' },
  { Icon: IconEdit, name: 'Update', text: 'View the apps of a dashboard and pick others.' },
  { Icon: IconTrash, name: 'Delete', text: 'Delete a dashboard. Its integrations are not affected.' },
];

export function DashboardList() {
  const { session } = useSession();
  const refusal = useRefusal('dashboards.change');
  const navigate = useNavigate();
  const dashboards = useDashboards(true);
  useProblemPopup(dashboardTexts.lookingUp, dashboards);
  const edit = useDashboardDialog(dashboards.data ?? []);
  const deletion = useDeleteDialog();
  const view = ({ name }: SyncDashboard) =>
    void navigate({ to: '/sync-dashboard/{-$name}', params: { name }, search: {} });
  return (
    <Page
      crumbs={[{ label: 'Sync', to: '/sync' }, { label: 'Dashboards' }]}
      title="Sync dashboards"
      lead={`Groups of integrations in ${session.environment.name} to monitor at a glance.`}
      actions={
        <ExplainedButton
          leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}
          reason={refusal}
          onClick={edit.create}
        >
          Create new
        </ExplainedButton>
      }
    >
      <DataTable
        name="Sync dashboards"
        rows={dashboards.data}
        rowId={({ name }) => name}
        columns={columns}
        defaultSort={{ id: 'name', descending: false }}
        loading={dashboards.isFetching}
        error={dashboards.error}
        errorTitle={dashboardTexts.lookingUp}
        onRetry={() => void dashboards.refetch()}
        onRowClick={view}
        emptyText="There are no sync dashboards yet."
        emptyHint={refusal === null ? 'Create one from the apps you pick.' : refusal}
        actions={(dashboard) => (
          <DashboardActions
            dashboard={dashboard}
            refusal={dashboard.refusal}
            handlers={{ view, update: edit.update, remove: deletion.ask }}
          />
        )}
      />
      <InfoCards cards={cards} />
      {edit.dialog}
      {deletion.dialog}
    </Page>
  );
}
