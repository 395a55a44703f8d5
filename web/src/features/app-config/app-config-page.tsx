import { Tabs } from '@mantine/core';
import '@mantine/core/styles/Tabs.layer.css';
import { getConfig } from '@portal/contract/app-config';
import type { App } from '@portal/contract/apps';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { AppPage } from '../../apps/app-page.tsx';
import { SkippedNote } from '../../apps/skipped-note.tsx';
import { UnknownApp } from '../../apps/unknown-app.tsx';
import { useApp, useRefusal } from '../../session/use-session.ts';
import { useAddressValue } from '../../state/use-address.ts';
import { Empty } from '../../ui/empty.tsx';
import { useProblemPopup } from '../../ui/use-problem-popup.ts';
import styles from './app-config.module.css';
import { TimeoutsTab } from './timeouts-tab.tsx';
import { useAppConfig } from './use-app-config.ts';

const isTab = (text: string): text is 'timeouts' | 'schema-access' => text === 'timeouts' || text === 'schema-access';

/** Content of the schema-access tab, provided by another feature. */
type AppPanel = (app: App) => ReactNode;

export function AppConfigPage({ schemaAccess }: { schemaAccess: AppPanel }) {
  const { appid = '' } = useParams({ strict: false });
  const app = useApp(appid);
  if (app === null) return <UnknownApp appId={appid} crumb="Config" />;
  // The key resets all state when the app changes.
  return <AppConfig key={app.id} app={app} schemaAccess={schemaAccess} />;
}

function AppConfig({ app, schemaAccess }: { app: App; schemaAccess: AppPanel }) {
  const [tab, setTab] = useAddressValue('tab', 'timeouts', isTab);
  const refusal = useRefusal('config.view');
  const config = useAppConfig(app.id, refusal === null);
  useProblemPopup('Unable to get app config!', config);
  return (
    <AppPage
      app={app}
      tab={tab === 'timeouts' ? 'Config' : 'Schema Access'}
      crumbs={[{ label: 'Apps', to: '/apps' }, { label: `Config for ${app.name}` }]}
      lead="Timeouts of views and scheduled functions, app state and limits."
    >
      {refusal !== null ? (
        <Empty text={refusal} />
      ) : (
        <Tabs value={tab} onChange={(value) => value !== null && isTab(value) && setTab(value)} keepMounted={false}>
          <Tabs.List aria-label="Configuration">
            <Tabs.Tab value="timeouts">Timeouts</Tabs.Tab>
            <Tabs.Tab value="schema-access">Schema Access</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="timeouts" className={styles.panel}>
            <SkippedNote endpoint={getConfig} appId={app.id} />
            <TimeoutsTab app={app} load={config} />
          </Tabs.Panel>
          <Tabs.Panel value="schema-access" className={styles.panel}>
            {schemaAccess(app)}
          </Tabs.Panel>
        </Tabs>
      )}
    </AppPage>
  );
}
