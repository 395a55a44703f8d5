import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';
import { type Address, formatAddress, parseAddress } from './lib/address.ts';
import { lazyPage } from './lib/lazy-page.tsx';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { PageFailed } from './shell/page-failed.tsx';
import { Shell } from './shell/shell.tsx';

/**
 * Search parameters are flat text; what is something else comes from a slip in the address and is
 * left out.
 */
function validateSearch(search: Record<string, unknown>): Address {
  return Object.fromEntries(
    Object.entries(search).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage, validateSearch });

const home = lazyPage(() => import('./features/home/home-page.tsx'), 'HomePage');
const apps = lazyPage(() => import('./features/apps/apps-page.tsx'), 'AppsPage');
const appView = lazyPage(() => import('./features/db-spy/app-view-page.tsx'), 'AppViewPage');

const at = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => root, path, component });

const routes = [
  at('/', home),
  at('/home', home),
  // Whoever is here is signed in.
  createRoute({
    getParentRoute: () => root,
    path: '/signin',
    beforeLoad: () => {
      throw redirect({ to: '/', replace: true });
    },
  }),
  at('/apps/{-$appid}', apps),
  at('/app/{-$appid}', appView),
  at(
    '/logs/$appid',
    lazyPage(() => import('./features/logs/logs-page.tsx'), 'LogsPage'),
  ),
  at(
    '/config/$appid',
    lazyPage(() => import('./screens/app-config.tsx'), 'AppConfigScreen'),
  ),
  at(
    '/scheduledfunctions/$appid',
    lazyPage(() => import('./features/scheduled-functions/scheduled-functions-page.tsx'), 'ScheduledFunctionsPage'),
  ),
  at(
    '/audit',
    lazyPage(() => import('./features/audit/audit-page.tsx'), 'AuditPage'),
  ),
  at(
    '/schema-access',
    lazyPage(() => import('./features/schema-access/schema-access-page.tsx'), 'SchemaAccessPage'),
  ),
  at(
    '/deployments',
    lazyPage(() => import('./features/deployments/deployments-page.tsx'), 'DeploymentsPage'),
  ),
  at(
    '/support-roster/{-$team}',
    lazyPage(() => import('./features/support-roster/support-roster-page.tsx'), 'SupportRosterPage'),
  ),
  at(
    '/sync/form/{-$appid}',
    lazyPage(() => import('./features/sync-form/sync-form-page.tsx'), 'SyncFormPage'),
  ),
  at(
    '/sync/{-$appid}',
    lazyPage(() => import('./features/sync/sync-page.tsx'), 'SyncPage'),
  ),
  at(
    '/sync-guide',
    lazyPage(() => import('./features/sync-guide/sync-guide-page.tsx'), 'SyncGuidePage'),
  ),
  at(
    '/sync-dashboard/{-$name}',
    lazyPage(() => import('./features/sync-dashboards/sync-dashboards-page.tsx'), 'SyncDashboardsPage'),
  ),
  at(
    '/dbspy/{-$appid}',
    lazyPage(() => import('./features/db-spy/db-spy-page.tsx'), 'DbSpyPage'),
  ),
  at(
    '/helium-dev-latest',
    lazyPage(() => import('./features/dev-client/dev-client-page.tsx'), 'DevClientPage'),
  ),
];

/** Hash routes, each with and without a slash at its end. */
export function createPortalRouter() {
  return createRouter({
    routeTree: root.addChildren(routes),
    history: createHashHistory(),
    parseSearch: parseAddress,
    stringifySearch: formatAddress,
    defaultPreload: 'intent',
    defaultErrorComponent: PageFailed,
    scrollRestoration: true,
  });
}
