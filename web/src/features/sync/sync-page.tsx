import { Button } from '@mantine/core';
import type { App } from '@portal/contract/apps';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { syncTexts } from '@portal/contract/sync/texts';
import {
  IconAlertTriangle,
  IconBook2,
  IconInfoCircle,
  IconLayoutDashboard,
  IconListDetails,
  IconPlus,
  IconRefresh,
  IconStethoscope,
} from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { useAppFilter } from '../../apps/app-filter.ts';
import { AppListPage } from '../../apps/app-page.tsx';
import { UnknownApp } from '../../apps/unknown-app.tsx';
import { formatUnit } from '../../format/numbers.ts';
import { useRefusal, useSession } from '../../session/use-session.ts';
import { getListRefreshMs } from '../../sync/list-refresh.ts';
import { countByState, getRank, getSyncState } from '../../sync/severity.ts';
import { useCurrentIntegrations } from '../../sync/use-current-integrations.ts';
import { CountFilter } from '../../ui/count-filter.tsx';
import { Empty } from '../../ui/empty.tsx';
import { ExplainedButton } from '../../ui/explained-button.tsx';
import { InfoCards } from '../../ui/info-cards.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { useProblemPopup } from '../../ui/use-problem-popup.ts';
import { ListedActivity } from './activity/activity-button.tsx';
import { useListedActivity } from './activity/use-activity.ts';
import { useDeleteDialog } from './details/delete-dialog.tsx';
import { InfoModal } from './details/info-modal.tsx';
import { BulkActions } from './list/bulk-actions.tsx';
import { IntegrationActions } from './list/integration-actions.tsx';
import { integrationColumns } from './list/integration-columns.tsx';
import styles from './list/integration-list.module.css';
import { useEnabling } from './list/use-enabling.tsx';
import { useSelection } from './list/use-selection.ts';
import { useShownIntegration } from './list/use-shown-integration.ts';
import { LogModal } from './log/log-modal.tsx';
import { ObjectsModal } from './records/objects-modal.tsx';
import { RecordsModal } from './records/records-modal.tsx';
import shared from './sync.module.css';
import { useOverlay, useStateFilter } from './sync-address.ts';
import { useIntegrations } from './use-integrations.ts';

const tableTitle = 'Helium Journey Apps';
const defaultSort = { id: 'appName', descending: false } as const;
const attentionFirst = {
  id: 'attention',
  label: 'Needs attention first',
  value: (integration: SyncIntegration) => `${getRank(integration)} ${integration.appName}`,
} as const;
const getId = ({ id }: SyncIntegration) => id;

const cards = [
  { Icon: IconInfoCircle, name: 'Info', text: 'Addresses, users, and the progress of both directions.' },
  { Icon: IconListDetails, name: 'Objects', text: 'Object counts of both sides, next to each other.' },
  {
    Icon: IconStethoscope,
    name: 'Records',
    text: 'Waiting and failed records, conflicts, and what you can do about them.',
  },
];

export function SyncPage() {
  const { appId, app } = useAppFilter();
  return appId !== '' && app === null ? <UnknownApp appId={appId} crumb={syncTexts.title} /> : <Sync app={app} />;
}

/** Shows all integrations, or the one of an app as a page of that app. */
function Sync({ app }: { app: App | null }) {
  const { session } = useSession();
  const { environment } = session;
  const viewRefusal = useRefusal('sync.view');
  const refusal = useRefusal('sync.change');
  const navigate = useNavigate();
  const list = useIntegrations(viewRefusal === null);
  const refreshMs = getListRefreshMs(list.data?.length ?? 0);
  const integrations = useCurrentIntegrations(list, refreshMs);
  useProblemPopup(syncTexts.title, list);
  const activity = useListedActivity({ isAllowed: viewRefusal === null, count: integrations?.length ?? 0 });
  const [isRefreshing, setIsRefreshing] = useState(false);
  const [overlay, open] = useOverlay();
  const shown = useShownIntegration(overlay, integrations);
  const [state, setState] = useStateFilter();
  const ofApp = useMemo(
    () => (app === null ? integrations : integrations?.filter(({ id }) => id === app.id)),
    [integrations, app],
  );
  const listed = useMemo(
    () => (state === null ? ofApp : ofApp?.filter((each) => getSyncState(each) === state)),
    [ofApp, state],
  );
  const selection = useSelection(integrations, ofApp);
  const enabling = useEnabling(selection);
  const deletion = useDeleteDialog();
  const columns = useMemo(
    () => integrationColumns({ selected: selection.selected, onSelect: selection.select, onOpen: open }),
    [selection.selected, selection.select, open],
  );
  const { askToEnable, askToDisable } = enabling;
  const { ask: askToDelete } = deletion;
  const renderActions = useCallback(
    (integration: SyncIntegration) => (
      <IntegrationActions
        integration={integration}
        enabling={{ askToEnable, askToDisable }}
        onOpen={open}
        onDelete={askToDelete}
      />
    ),
    [askToEnable, askToDisable, open, askToDelete],
  );
  const empty =
    state === null || ofApp?.length === 0
      ? {
          emptyText: app === null ? syncTexts.noIntegrations(environment.baseUrl) : `${app.name} has no integration.`,
          emptyHint: refusal === null ? 'Create one; the guide lists the requirements.' : refusal,
        }
      : {
          emptyText: `No integration is ${state}.`,
          emptyHint: (
            <button type="button" className="link-button" onClick={() => setState(null)}>
              Show all
            </button>
          ),
        };
  const close = () => open(null);
  const refresh = () => {
    setIsRefreshing(true);
    void list.refetch().finally(() => setIsRefreshing(false));
  };

  return (
    <AppListPage
      app={app}
      tab="Sync"
      title={syncTexts.title}
      to="/sync"
      lead={`Integrations in ${environment.name}. Updates every ${formatUnit(Math.round(refreshMs / 1000), 's')}.`}
      actions={
        viewRefusal === null && (
          <>
            {list.isSuccess && (
              <ExplainedButton
                leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}
                reason={refusal}
                onClick={() => void navigate({ to: '/sync/form/{-$appid}' })}
              >
                Create
              </ExplainedButton>
            )}
            <LinkButton to="/sync-guide" Icon={IconBook2} label="Guide" />
            <LinkButton to="/sync-dashboard/{-$name}" Icon={IconLayoutDashboard} label="Dashboards" />
            <Button
              variant="default"
              leftSection={<IconRefresh size={16} stroke={1.6} aria-hidden />}
              loading={isRefreshing}
              onClick={refresh}
            >
              Refresh
            </Button>
          </>
        )
      }
    >
      {viewRefusal !== null ? (
        <Empty text={viewRefusal} />
      ) : (
        <>
          {shown.isMissing && overlay && <MissingNote appId={overlay.appId} />}
          <h2>{tableTitle}</h2>
          <ListedActivity value={activity.data}>
            <DataTable
              name={tableTitle}
              rows={listed}
              rowId={getId}
              columns={columns}
              defaultSort={defaultSort}
              namedOrder={attentionFirst}
              lineNumbers
              loading={list.isPending || isRefreshing}
              error={list.error}
              errorTitle={syncTexts.title}
              onRetry={refresh}
              rowTone={getRowTone}
              {...empty}
              csvName={`sync-${environment.name}`}
              toolbar={(found) => (
                <>
                  {app === null && integrations && integrations.length > 0 && (
                    <CountFilter
                      legend="Show only one state"
                      counts={countByState(integrations)}
                      chosen={state}
                      onChange={setState}
                    />
                  )}
                  <BulkActions
                    selection={selection}
                    enabling={enabling}
                    integrations={ofApp ?? []}
                    listedCount={listed?.length ?? 0}
                    found={found}
                  />
                </>
              )}
              actions={renderActions}
            />
          </ListedActivity>
          <InfoCards cards={cards} />
        </>
      )}
      <InfoModal shown={shown} isOpen={overlay?.kind === 'info'} onClose={close} />
      <ObjectsModal shown={shown} isOpen={overlay?.kind === 'objects'} onClose={close} />
      <RecordsModal shown={shown} isOpen={overlay?.kind === 'records'} onClose={close} />
      <LogModal shown={shown} isOpen={overlay?.kind === 'logs'} onClose={close} />
      {enabling.dialog}
      {deletion.dialog}
    </AppListPage>
  );
}

function getRowTone({ status, health }: SyncIntegration) {
  if (status === 'Halted' || health === 'Stale') return 'danger';
  return health === 'Late' ? 'warning' : null;
}

function LinkButton({ to, Icon, label }: { to: string; Icon: typeof IconBook2; label: string }) {
  return (
    <Button
      variant="default"
      className={styles.link}
      renderRoot={(props) => <Link to={to} {...props} />}
      leftSection={<Icon size={16} stroke={1.6} aria-hidden />}
    >
      {label}
    </Button>
  );
}

function MissingNote({ appId }: { appId: string }) {
  return (
    <p role="status" className={shared.notice}>
      <IconAlertTriangle size={16} stroke={1.7} aria-hidden />
      There is no integration for {appId}. It may have been deleted, or it belongs to another environment.
    </p>
  );
}
