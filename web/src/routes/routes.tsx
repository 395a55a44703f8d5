import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';
import { NotFoundPage } from '../shell/not-found-page.tsx';
import { PageFailed } from '../shell/page-failed.tsx';
import { Shell } from '../shell/shell.tsx';
import { type Address, formatAddress, parseAddress } from '../state/address.ts';
import { lazyPage } from './lazy-page.tsx';

/** Keeps only string search parameters. Anything else comes from a malformed address. */
function validateSearch(search: Record<string, unknown>): Address {
  return Object.fromEntries(
    Object.entries(search).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage, validateSearch });

const home = lazyPage(() => import('../features/home/home-page.tsx'), 'HomePage');
const apps = lazyPage(() => import('../features/apps/apps-page.tsx'), 'AppsPage');
const appView = lazyPage(() => import('../features/db-spy/app-view-page.tsx'), 'AppViewPage');

const pageRoute = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => root, path, component });

const routes = [
  pageRoute('/', home),
  pageRoute('/home', home),
  // Only signed-in users reach these routes.
  createRoute({
    getParentRoute: () => root,
    path: '/signin',
    beforeLoad: () => {
      throw redirect({ to: '/', replace: true });
    },
  }),
  pageRoute('/apps/{-$appid}', apps),
  pageRoute('/app/{-$appid}', appView),
  pageRoute(
    '/logs/$appid',
    lazyPage(() => import('../features/logs/logs-page.tsx'), 'LogsPage'),
  ),
  pageRoute(
    '/config/$appid',
    lazyPage(() => import('./app-config.tsx'), 'AppConfigScreen'),
  ),
  pageRoute(
    '/scheduledfunctions/$appid',
    lazyPage(() => import('../features/scheduled-functions/scheduled-functions-page.tsx'), 'ScheduledFunctionsPage'),
  ),
  pageRoute(
    '/audit',
    lazyPage(() => import('../features/audit/audit-page.tsx'), 'AuditPage'),
  ),
  pageRoute(
    '/doctor',
    lazyPage(() => import('../features/doctor/doctor-page.tsx'), 'DoctorPage'),
  ),
  pageRoute(
    '/sessions',
    lazyPage(() => import('../features/sessions/sessions-page.tsx'), 'SessionsPage'),
  ),
  pageRoute(
    '/schema-access',
    lazyPage(() => import('../features/schema-access/schema-access-page.tsx'), 'SchemaAccessPage'),
  ),
  pageRoute(
    '/deployments',
    lazyPage(() => import('../features/deployments/deployments-page.tsx'), 'DeploymentsPage'),
  ),
  pageRoute(
    '/deployments/$schedule',
    lazyPage(() => import('./release/release-screen.tsx'), 'ReleaseScreen'),
  ),
  pageRoute(
    '/support-roster/{-$team}',
    lazyPage(() => import('../features/support-roster/support-roster-page.tsx'), 'SupportRosterPage'),
  ),
  pageRoute(
    '/sync/form/{-$appid}',
    lazyPage(() => import('../features/sync-form/sync-form-page.tsx'), 'SyncFormPage'),
  ),
  pageRoute(
    '/sync/{-$appid}',
    lazyPage(() => import('../features/sync/sync-page.tsx'), 'SyncPage'),
  ),
  pageRoute(
    '/sync-guide',
    lazyPage(() => import('../features/sync-guide/sync-guide-page.tsx'), 'SyncGuidePage'),
  ),
  pageRoute(
    '/sync-dashboard/{-$name}',
    lazyPage(() => import('../features/sync-dashboards/sync-dashboards-page.tsx'), 'SyncDashboardsPage'),
  ),
  pageRoute(
    '/dbspy/{-$appid}',
    lazyPage(() => import('../features/db-spy/db-spy-page.tsx'), 'DbSpyPage'),
  ),
  pageRoute(
    '/helium-dev-latest',
    lazyPage(() => import('../features/dev-client/dev-client-page.tsx'), 'DevClientPage'),
  ),
];

/** Creates the hash router. Every route works with and without a trailing slash. */
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
