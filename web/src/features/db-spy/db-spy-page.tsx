import { Tabs } from '@mantine/core';
import '@mantine/core/styles/Tabs.layer.css';
import type { Environment } from '@portal/contract/environments';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAppSources } from '../../apps/use-app-sources.ts';
import { useApp, useRefusal, useSession } from '../../session/use-session.ts';
import type { Address } from '../../state/address.ts';
import { useAddress, useAddressValue } from '../../state/use-address.ts';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { RefreshStats } from './filters/refresh-stats.tsx';
import { ResetStats } from './filters/reset-stats.tsx';
import { type Mode, SourceChoice } from './filters/source-choice.tsx';
import { StatementStats } from './statement-stats.tsx';
import { readStatsFilter, withValues } from './stats-address.ts';
import { type StatsTarget, slowStatsEndpoints, statsEndpoints, useStatsContext } from './use-stats.ts';

const isTab = (text: string): text is 'chart' | 'table' => text === 'chart' || text === 'table';

/** Statement statistics of any data source, or of the app with its id in the address. */
export function DbSpyPage() {
  const { appid = '' } = useParams({ strict: false });
  const { session } = useSession();
  const { dataSources } = session.environment;
  const refusal = useRefusal('statistics.view');
  const app = useApp(appid);
  const navigate = useNavigate();
  const [address] = useAddress();
  const mode: Mode = appid === '' && address.mode === 'datasource' ? 'datasource' : 'app';
  const known = dataSources.find(({ heliumDataSourceName }) => heliumDataSourceName === address.source);
  const context = useStatsContext({ appId: appid }, readStatsFilter(address).range, app !== null && refusal === null);
  const chosenSource = known?.heliumDataSourceName ?? null;
  const sources = useAppSources(chosenSource, mode === 'app' && refusal === null);
  // The data source of an app is filled in. Until the server reports it, the chosen one is shown.
  const dataSource = (app && (context.data?.dataSource ?? sources.find(app.id))) ?? chosenSource;
  const target = getTarget(mode, app?.id ?? null, dataSource);

  /**
   * Opens another target. Filters and chart settings stay; the page and the open statement are
   * cleared.
   */
  const go = (appId: string | undefined, values: Readonly<Record<string, string>>) =>
    void navigate({
      to: '/dbspy/{-$appid}',
      params: { appid: appId },
      search: (current: Address) => withValues(current, { open: '', page: '', ...values }),
    });

  return (
    <Page
      crumbs={[{ label: 'DB Spy' }]}
      title="DB Spy"
      lead="The statements that take the most time in a data source or an app."
      actions={
        refusal === null && (
          <>
            {target && <RefreshStats endpoints={statsEndpoints} slowest={slowStatsEndpoints} />}
            <ResetStats
              hostname={dataSources.find((one) => one.heliumDataSourceName === dataSource)?.hostname ?? null}
            />
          </>
        )
      }
    >
      {refusal !== null ? (
        <Empty text={refusal} />
      ) : (
        <>
          <SourceChoice
            mode={mode}
            dataSources={dataSources}
            dataSource={dataSource}
            sources={sources}
            app={app}
            onMode={(next) => go(undefined, { mode: next === 'app' ? '' : next, source: dataSource ?? '' })}
            onDataSource={(source) => go(undefined, { source: source ?? '' })}
            onApp={(id) => go(id, {})}
          />
          {appid !== '' && app === null && (
            <Empty
              text={`You have no access to an app with the id ${appid} in ${session.environment.name}.`}
              hint="Select an app above."
            />
          )}
          {appid === '' && dataSource === null && <Empty {...getSelectionTexts(session.environment, mode)} />}
          {(target !== null || (appid === '' && dataSource !== null)) && (
            <SpyTabs>
              {(tab) =>
                target ? (
                  // The key makes each target a view of its own, so that no state of another one
                  // remains.
                  <StatementStats
                    key={JSON.stringify(target)}
                    target={target}
                    shown={tab}
                    fileName={`${app?.name ?? dataSource} query stats`}
                  />
                ) : (
                  <Empty {...getSelectionTexts(session.environment, mode)} />
                )
              }
            </SpyTabs>
          )}
        </>
      )}
    </Page>
  );
}

function SpyTabs({ children }: { children: (tab: 'chart' | 'table') => ReactNode }) {
  const [tab, setTab] = useAddressValue('tab', 'chart', isTab);
  return (
    <Tabs value={tab} onChange={(value) => value !== null && isTab(value) && setTab(value)} keepMounted={false}>
      <Tabs.List aria-label="Statistics">
        <Tabs.Tab value="chart">Chart</Tabs.Tab>
        <Tabs.Tab value="table">Table</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="chart">{children('chart')}</Tabs.Panel>
      <Tabs.Panel value="table">{children('table')}</Tabs.Panel>
    </Tabs>
  );
}

/** Returns what the user has to select first. */
function getSelectionTexts({ baseUrl, dataSources }: Environment, mode: Mode): { text: string; hint: string } {
  if (dataSources.length === 0) {
    return {
      text: `There were no database servers found on ${baseUrl}`,
      hint: 'Add them to the portal’s configuration.',
    };
  }
  if (mode === 'datasource') {
    return {
      text: 'No data source is selected.',
      hint: 'Select a data source above to see its slowest statements.',
    };
  }
  return { text: 'No app is selected.', hint: 'Select an app above, or the mode Datasource to see all statements.' };
}

function getTarget(mode: Mode, appId: string | null, dataSource: string | null): StatsTarget | null {
  if (mode === 'app') return appId === null ? null : { appId };
  return dataSource === null ? null : { dataSource };
}
