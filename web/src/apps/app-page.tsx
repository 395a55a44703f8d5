import type { App } from '@portal/contract/apps';
import type { ReactNode } from 'react';
import { slowStaleTimeMs } from '../api/use-call.ts';
import { useMyApps } from '../session/my-apps.ts';
import { useRefusal } from '../session/use-session.ts';
import { Copyable } from '../ui/copyable.tsx';
import { Deferred } from '../ui/deferred.tsx';
import { type Crumb, Page } from '../ui/page.tsx';
import { StatusChip } from '../ui/status-chip.tsx';
import { useConfig } from './app-config.ts';
import styles from './app-page.module.css';
import { type AppTab, AppTabs } from './app-tabs.tsx';
import { StarButton } from './star-button.tsx';

/**
 * The layout of every page of an app: one header with the app's name, id and state, and tabs that
 * lead to its other pages. The name and the tabs are known from the session, so they show at once.
 */
export function AppPage(props: {
  app: App;
  tab: AppTab;
  /** The crumbs after Home; the last one is this page. */
  crumbs: readonly Crumb[];
  /** One line about the purpose or the state of the tab. */
  lead?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}) {
  const { app, tab } = props;
  const { starred, toggleStar } = useMyApps();
  return (
    <Page
      crumbs={props.crumbs}
      title={app.name}
      part={tab}
      tabTitle={`${tab} · ${app.name}`}
      chips={
        <>
          <StarButton app={app} starred={starred.includes(app.id)} onToggle={toggleStar} />
          <span className={styles.id}>
            <Copyable value={app.id} label="Copy app id" />
          </span>
          <AppState appId={app.id} />
        </>
      }
      tabs={<AppTabs app={app} current={tab} />}
      lead={props.lead}
      actions={props.actions}
    >
      <Deferred>{props.children}</Deferred>
    </Page>
  );
}

/**
 * The layout of a list that holds entries of all apps. With an app it lists that app's only, as one
 * of its pages.
 */
export function AppListPage(props: {
  app: App | null;
  tab: AppTab;
  title: string;
  /** The route of the whole list. */
  to: string;
  lead: string;
  actions: ReactNode;
  children: ReactNode;
}) {
  const { app, tab, title, to, ...rest } = props;
  return app === null ? (
    <Page crumbs={[{ label: title }]} title={title} {...rest} />
  ) : (
    <AppPage app={app} tab={tab} crumbs={[{ label: title, to }, { label: app.name }]} {...rest} />
  );
}

/** Shows nothing until the configuration is loaded, or if it cannot be: the Config tab says why. */
function AppState({ appId }: { appId: string }) {
  const { data } = useConfig(appId, { enabled: useRefusal('config.view') === null, staleTime: slowStaleTimeMs });
  if (!data) return null;
  return (
    <span className={styles.state} data-usual={data.disabled || data.locked ? undefined : true}>
      <StatusChip tone={data.disabled ? 'danger' : 'success'} label={data.disabled ? 'Disabled' : 'Enabled'} />
      <StatusChip tone={data.locked ? 'warning' : 'success'} label={data.locked ? 'Locked' : 'Unlocked'} />
    </span>
  );
}
