import { useParams } from '@tanstack/react-router';
import { useRefusal } from '../../session/use-session.ts';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { DashboardList } from './dashboard-list.tsx';
import { DashboardResults } from './dashboard-results.tsx';

/** All dashboards, or with a name in the address the results of that one. */
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
  // The key: another dashboard is another page, nothing of the one before is left standing under
  // its name.
  return name === '' ? <DashboardList /> : <DashboardResults key={name} name={name} />;
}
