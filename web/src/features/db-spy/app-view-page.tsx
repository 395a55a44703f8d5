import { Tabs } from '@mantine/core';
import { getLastFunctionResults, getScheduledFunctionResults } from '@portal/contract/scheduled-functions';
import '@mantine/core/styles/Tabs.layer.css';
import type { App } from '@portal/contract/apps';
import { Navigate, useParams } from '@tanstack/react-router';
import { AppPage } from '../../apps/app-page.tsx';
import { useApp, useRefusal } from '../../session/use-session.ts';
import { useAddressValue } from '../../state/use-address.ts';
import { Empty } from '../../ui/empty.tsx';
import styles from './db-spy.module.css';
import { RefreshStats } from './filters/refresh-stats.tsx';
import { FunctionResults } from './function-results.tsx';
import { StatementStats } from './statement-stats.tsx';
import { slowStatsEndpoints, statsEndpoints } from './use-stats.ts';

const tabs = ['visualizer', 'stats', 'functions'] as const;
type Tab = (typeof tabs)[number];
const isTab = (text: string): text is Tab => tabs.some((tab) => tab === text);

/** The view of one app. If no app matches, redirects to the apps list, which shows that. */
export function AppViewPage() {
  const { appid = '' } = useParams({ strict: false });
  const app = useApp(appid);
  // The key makes each app a page of its own, so that no state of another one remains.
  if (app) return <AppView key={app.id} app={app} />;
  return appid === '' ? <Navigate to="/apps" replace /> : <Navigate to="/apps/{-$appid}" params={{ appid }} replace />;
}

function AppView({ app }: { app: App }) {
  const [tab, setTab] = useAddressValue('tab', 'visualizer', isTab);
  const refusal = useRefusal('statistics.view');
  const statements = { target: { appId: app.id }, fileName: `${app.name} query stats` };
  return (
    <AppPage
      app={app}
      tab="View"
      crumbs={[{ label: 'Apps', to: '/apps' }, { label: 'View' }]}
      lead="The statements that take the most database time, and the results of scheduled functions."
      actions={
        tab === 'functions' ? (
          <RefreshStats
            endpoints={[getScheduledFunctionResults, getLastFunctionResults]}
            slowest={[getLastFunctionResults]}
          />
        ) : (
          <RefreshStats endpoints={statsEndpoints} slowest={slowStatsEndpoints} />
        )
      }
    >
      <Tabs value={tab} onChange={(value) => value !== null && isTab(value) && setTab(value)} keepMounted={false}>
        <Tabs.List aria-label="Statistics">
          <Tabs.Tab value="visualizer">Query Visualizer</Tabs.Tab>
          <Tabs.Tab value="stats">Query Stats</Tabs.Tab>
          <Tabs.Tab value="functions">Scheduled Function Stats</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="visualizer">
          {refusal === null ? <StatementStats shown="chart" {...statements} /> : <Empty text={refusal} />}
        </Tabs.Panel>
        <Tabs.Panel value="stats">
          {refusal === null ? <StatementStats shown="table" {...statements} /> : <Empty text={refusal} />}
        </Tabs.Panel>
        <Tabs.Panel value="functions" className={styles.panel}>
          <FunctionResults appId={app.id} appName={app.name} />
        </Tabs.Panel>
      </Tabs>
    </AppPage>
  );
}
