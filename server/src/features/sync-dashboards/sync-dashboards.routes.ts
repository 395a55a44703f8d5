import * as contract from '@portal/contract/sync/dashboards';
import type { Pool } from '@portal/kit/postgres/pool';
import { Conflict, Invalid, NotFound } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { Finder } from '../../access/subjects.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import type { Caller } from '../../session/caller.ts';
import { listForCaller } from '../../sync-service/caller-integrations.ts';
import {
  createDashboard,
  deleteDashboard,
  findDashboard,
  listDashboards,
  type StoredDashboard,
  saveDashboard,
} from './sync-dashboards.store.ts';

declare module '../../access/subjects.ts' {
  interface Subjects {
    /** Undefined if there is none of that name. */
    readonly dashboard: StoredDashboard | undefined;
  }
}

/** Finds a dashboard of the caller's environment by its name. */
export function dashboardFinder(pool: Pool): Finder<StoredDashboard | undefined> {
  return async (name, { caller, action, fields }) => {
    const value = await findDashboard(pool, caller.environment.name, name);
    // Everyone reads it. A new one whose name is taken is a conflict, regardless of the owner.
    const isOwned = value !== undefined && action === 'dashboards.change' && fields.isNew !== true;
    return { value, resource: { kind: 'dashboard', id: name }, ...(isOwned && { owner: value.owner }) };
  };
}

/** Names that cannot be used in a path: `null` is a different call, and browsers resolve dots. */
const reserved = new Set(['null', '.', '..']);

export function syncDashboardsRoutes({ pool, permissions, syncService }: Dependencies): RoutesOf<typeof contract> {
  return {
    getSyncDashboards: route(contract.getSyncDashboards, async ({ caller }) => {
      const [dashboards, { byId }] = await Promise.all([
        listDashboards(pool, caller.environment.name),
        caller.apps({ forReading: true }),
      ]);
      return Promise.all(
        dashboards.map(async ({ name, appIds, owner }) => ({
          name,
          appIds: appIds.filter((appId) => byId.has(appId)),
          refusal: await permissions.findRefusal(caller, 'dashboards.change', {
            resource: { kind: 'dashboard', id: name },
            owner,
          }),
        })),
      );
    }),

    getSyncDashboard: route(contract.getSyncDashboard, async ({ caller, dashboard, params: { name } }) => {
      if (!dashboard) throw dashboardNotFound(caller, name);
      const integrations = await listForCaller(syncService, caller);
      return integrations.filter(({ id }) => dashboard.appIds.includes(id));
    }),

    saveSyncDashboard: route(contract.saveSyncDashboard, async ({ caller, apps, dashboard: before, input, noted }) => {
      const { name, isNew = false } = input;
      if (reserved.has(name)) throw new Invalid(`A dashboard cannot be named ${shortenValue(name)}.`);
      const environment = caller.environment.name;
      const appIds = apps.map(({ id }) => id);
      const owner = before && !isNew ? before.owner : caller.username;
      const dashboard = { name, appIds, owner };
      if (isNew && !(await createDashboard(pool, environment, dashboard)))
        throw new Conflict(contract.dashboardTexts.nameTaken(shortenValue(name)));
      const { byId } = await caller.apps();
      const change = { seen: [...byId.keys()], before: input.before };
      const saved = isNew ? appIds : await saveDashboard(pool, environment, dashboard, change);
      if (!saved) throw new Conflict(contract.dashboardTexts.nameTaken(shortenValue(name)));
      noted.before = before && { appIds: before.appIds };
      noted.after = { appIds: saved };
      return { name, appIds: saved.filter((appId) => byId.has(appId)), refusal: null };
    }),

    deleteSyncDashboard: route(contract.deleteSyncDashboard, async ({ caller, dashboard, params: { name }, noted }) => {
      const appIds = dashboard && (await deleteDashboard(pool, caller.environment.name, dashboard));
      if (!appIds) throw dashboardNotFound(caller, name);
      noted.before = { appIds };
      return { deleted: name };
    }),
  };
}

function dashboardNotFound({ environment }: Caller, name: string): NotFound {
  return new NotFound(`There is no dashboard ${shortenValue(name)} in ${environment.name}.`);
}
