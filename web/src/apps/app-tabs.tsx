import type { App } from '@portal/contract/apps';
import { canReachDeployments } from '@portal/contract/environments';
import { useLinkProps } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useSession } from '../session/use-session.ts';
import type { Address } from '../state/address.ts';
import { scrollToCurrent } from '../ui/scroll-to-current.ts';
import tabList from '../ui/tab-list.module.css';
import styles from './app-tabs.module.css';

interface Route {
  readonly to: string;
  readonly search?: Address;
}

/** The pages of an app, in order. The routes are those of the specification. */
const routes = {
  View: (id: string): Route => ({ to: `/app/${id}` }),
  Config: (id: string): Route => ({ to: `/config/${id}` }),
  Functions: (id: string): Route => ({ to: `/scheduledfunctions/${id}` }),
  Logs: (id: string): Route => ({ to: `/logs/${id}` }),
  'Schema Access': (id: string): Route => ({ to: `/config/${id}`, search: { tab: 'schema-access' } }),
  Deployments: (id: string): Route => ({ to: '/deployments', search: { app: id } }),
  Sync: (id: string): Route => ({ to: '/sync', search: { app: id } }),
} as const;

export type AppTab = keyof typeof routes;

function isAppTab(name: string): name is AppTab {
  return name in routes;
}

/** Links between the pages of an app. Narrow windows scroll them sideways. */
export function AppTabs({ app, current }: { app: App; current: AppTab }) {
  const { session } = useSession();
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => scrollToCurrent(list.current), []);
  const hasDeployments = canReachDeployments(session.environment.name);
  const names = Object.keys(routes).filter(isAppTab);
  return (
    <nav aria-label={`Pages of ${app.name}`} className={styles.tabs}>
      <ul ref={list} className={tabList.list}>
        {names
          .filter((name) => name !== 'Deployments' || hasDeployments)
          .map((name) => (
            <li key={name}>
              <Tab name={name} route={routes[name](encodeURIComponent(app.id))} isCurrent={name === current} />
            </li>
          ))}
      </ul>
    </nav>
  );
}

/** Not a `Link`, which takes Config and Schema Access for the same page: their paths are equal. */
function Tab({ name, route, isCurrent }: { name: AppTab; route: Route; isCurrent: boolean }) {
  const props = useLinkProps({ ...route, preload: 'render' });
  return (
    <a {...props} aria-current={isCurrent ? 'page' : undefined}>
      {name}
    </a>
  );
}
