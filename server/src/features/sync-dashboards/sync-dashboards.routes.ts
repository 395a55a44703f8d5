import * as contract from '@portal/contract/sync-dashboards';
import { Conflict, Invalid, NotFound } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { requireApps } from '../../access/app-access.ts';
import { toOutcome } from '../../audit/audit-trail.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import type { Caller } from '../../session/caller.ts';
import { listForCaller } from '../../sync-service/caller-integrations.ts';
import {
  createDashboard,
  deleteDashboard,
  findDashboard,
  listDashboards,
  saveDashboard,
} from './sync-dashboards.store.ts';

const nameParams = z.object({ name: z.string() });

/** Names that cannot be used in a path: `null` is a different call, and browsers resolve dots. */
const reserved = new Set(['null', '.', '..']);

export function syncDashboardsRoutes({
  pool,
  permissions,
  audit,
  syncService,
}: Dependencies): RoutesOf<typeof contract> {
  return {
    getSyncDashboards: route(contract.getSyncDashboards, async ({ caller }) => {
      await permissions.require(caller, 'sync.view');
      const [dashboards, { byId }] = await Promise.all([
        listDashboards(pool, caller.environment.name),
        caller.apps({ forReading: true }),
      ]);
      return dashboards.map(({ name, appIds }) => ({ name, appIds: appIds.filter((appId) => byId.has(appId)) }));
    }),

    getSyncDashboard: route(contract.getSyncDashboard, async ({ caller, request }) => {
      const name = getName(request);
      await permissions.require(caller, 'sync.view', { resource: name });
      const dashboard = await findDashboard(pool, caller.environment.name, name);
      if (!dashboard) throw dashboardNotFound(caller, name);
      const integrations = await listForCaller(syncService, caller);
      return integrations.filter(({ id }) => dashboard.appIds.includes(id));
    }),

    saveSyncDashboard: route(contract.saveSyncDashboard, async ({ caller, input }) => {
      const { name, isNew = false } = input;
      const environment = caller.environment.name;
      const auditEntry = { action: 'sync.save-dashboard', resource: name, description: 'Sync dashboard saved' };
      await permissions.require(caller, 'sync.change', { resource: name });
      const before = await findDashboard(pool, environment, name);
      try {
        if (reserved.has(name)) throw new Invalid(`A dashboard cannot be named ${shortenValue(name)}.`);
        const appIds = (await requireApps(caller, input.appIds, 'sync.change')).map(({ id }) => id);
        const dashboard = { name, appIds };
        if (isNew && !(await createDashboard(pool, environment, dashboard)))
          throw new Conflict(contract.dashboardTexts.nameTaken(shortenValue(name)));
        const { byId } = await caller.apps();
        const change = { seen: [...byId.keys()], before: input.before };
        const after = { appIds: isNew ? appIds : await saveDashboard(pool, environment, dashboard, change) };
        await audit.write(caller, {
          ...auditEntry,
          before: before && { appIds: before.appIds },
          after,
          outcome: 'done',
        });
        return { name, appIds: after.appIds.filter((appId) => byId.has(appId)) };
      } catch (error) {
        await audit.write(caller, { ...auditEntry, ...toOutcome(error) });
        throw error;
      }
    }),

    deleteSyncDashboard: route(contract.deleteSyncDashboard, async ({ caller, request }) => {
      const name = getName(request);
      await permissions.require(caller, 'sync.change', { resource: name });
      const appIds = await deleteDashboard(pool, caller.environment.name, name);
      const auditEntry = { action: 'sync.delete-dashboard', resource: name, description: 'Sync dashboard deleted' };
      if (!appIds) {
        const problem = dashboardNotFound(caller, name);
        await audit.write(caller, { ...auditEntry, ...toOutcome(problem) });
        throw problem;
      }
      await audit.write(caller, { ...auditEntry, before: { appIds }, outcome: 'done' });
      return { deleted: name };
    }),
  };
}

function getName({ params }: FastifyRequest): string {
  return nameParams.parse(params).name;
}

function dashboardNotFound({ environment }: Caller, name: string): NotFound {
  return new NotFound(`There is no dashboard ${shortenValue(name)} in ${environment.name}.`);
}
