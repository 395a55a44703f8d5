import { useParams } from '@tanstack/react-router';
import { useRefusal } from '../../session/use-session.ts';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { DashboardList } from './dashboard-list.tsx';
import { DashboardResults } from './dashboard-results.tsx';

/** Lists all dashboards, or shows the results of the dashboard named in the address. */
export function SyncDashboardsPage() {
  const { name = '' } = useParams({ strict: false });
  const refusal = useRefusal('sync.view');
  if (refusal !== null) {
    return (
      <Page crumbs={[{ label: 'Sync', to: '/sync' }, { label: 'Dashboards' }]} title="Sync dashboards">
        <Empty text={refusal} />
      </Page>
    );
  }
  // The key makes each dashboard a page of its own, so that no state of another one remains.
  return name === '' ? <DashboardList /> : <DashboardResults key={name} name={name} />;
}
