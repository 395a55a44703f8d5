import { Button } from '@mantine/core';
import { dashboardRefreshMs, dashboardTexts } from '@portal/contract/sync/dashboards';
import { IconDeviceTv, IconEdit } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { CallProblem } from '../../api/call-problem.ts';
import { KeepSignedIn } from '../../session/keep-signed-in.tsx';
import { useRefusal, useSession } from '../../session/use-session.ts';
import { useAddressValue } from '../../state/use-address.ts';
import { syncHealthHint } from '../../sync/status.tsx';
import { useCurrentIntegrations } from '../../sync/use-current-integrations.ts';
import { Empty } from '../../ui/empty.tsx';
import { ExplainedButton } from '../../ui/explained-button.tsx';
import { Page } from '../../ui/page.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { useProblemPopup } from '../../ui/use-problem-popup.ts';
import { useDashboardDialog } from './dashboard-modal.tsx';
import { RefreshControl } from './refresh-control.tsx';
import { useRefreshTimer } from './refresh-timer.ts';
import { resultColumns } from './result-columns.tsx';
import { useDashboardResults, useDashboards } from './use-dashboards.ts';
import { Wallboard } from './wallboard.tsx';

const views = ['table', 'wallboard'] as const;
type View = (typeof views)[number];
const isView = (text: string): text is View => views.some((view) => view === text);

/** The status of the integrations of a dashboard, refreshed automatically. */
export function DashboardResults({ name }: { name: string }) {
  const { session } = useSession();
  const refusal = useRefusal('dashboards.change');
  const results = useDashboardResults(name, true);
  useProblemPopup(dashboardTexts.lookingUpResults, results);
  const timer = useRefreshTimer(results);
  const integrations = useCurrentIntegrations(results, timer.isPaused ? null : dashboardRefreshMs);
  const [view, setView] = useAddressValue('view', 'table', isView);
  const dashboards = useDashboards(true);
  const edit = useDashboardDialog(dashboards.data ?? []);
  const known = dashboards.data?.find((dashboard) => dashboard.name === name);
  const emptyText =
    known?.appIds.length === 0 ? 'No apps picked yet.' : 'None of this dashboard’s apps has an integration.';
  const isUnknown = !results.data && results.error instanceof CallProblem && results.error.status === 404;

  return (
    <Page
      crumbs={[{ label: 'Sync', to: '/sync' }, { label: 'Dashboards', to: '/sync-dashboard' }, { label: name }]}
      title={name}
      lead={`Integrations in ${session.environment.name}, as of the last refresh.`}
      actions={
        !isUnknown && (
          <>
            <RefreshControl timer={timer} />
            <Button
              variant="default"
              leftSection={<IconDeviceTv size={16} stroke={1.6} aria-hidden />}
              onClick={() => setView('wallboard')}
            >
              Wallboard
            </Button>
            <KeepSignedIn />
            <ExplainedButton
              variant="default"
              leftSection={<IconEdit size={16} stroke={1.6} aria-hidden />}
              reason={refusal ?? (known ? known.refusal : 'The dashboard is still loading.')}
              onClick={() => known && edit.update(known)}
            >
              Update
            </ExplainedButton>
          </>
        )
      }
    >
      {isUnknown ? (
        <Empty
          text={`There is no dashboard ${name} in ${session.environment.name}.`}
          hint={<Link to="/sync-dashboard">All dashboards</Link>}
        />
      ) : (
        <>
          <DataTable
            name={`Integrations of ${name}`}
            rows={integrations}
            rowId={({ id }) => id}
            columns={resultColumns}
            defaultSort={{ id: 'appName', descending: false }}
            loading={results.isPending}
            error={results.error}
            errorTitle={dashboardTexts.lookingUpResults}
            onRetry={timer.refreshNow}
            csvName={`sync-dashboard-${name}`}
            emptyText={emptyText}
            emptyHint={refusal === null ? 'Use Update to pick apps.' : null}
          />
          <p className="label">{syncHealthHint}</p>
        </>
      )}
      <Wallboard
        name={name}
        results={{ data: integrations, error: results.error }}
        timer={timer}
        emptyText={emptyText}
        opened={view === 'wallboard' && !isUnknown}
        onClose={() => setView('table')}
      />
      {edit.dialog}
    </Page>
  );
}
