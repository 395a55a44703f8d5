import * as contract from '@portal/contract/sync-dashboards';
import { Conflict, Invalid, NotFound } from '@portal/kit/problems';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { requireApp } from '../../access/app-access.ts';
import { outcomeOf } from '../../audit/audit-trail.ts';
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

/**
 * What cannot stand in an address: the call of that name is another, and browsers take the dots for
 * folders.
 */
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
      const [dashboards, { byId }] = await Promise.all([listDashboards(pool, caller.environment.name), caller.apps()]);
      return dashboards.map(({ name, appIds }) => ({ name, appIds: appIds.filter((appId) => byId.has(appId)) }));
    }),

    getSyncDashboard: route(contract.getSyncDashboard, async ({ caller, request }) => {
      const name = nameOf(request);
      await permissions.require(caller, 'sync.view', name);
      const dashboard = await findDashboard(pool, caller.environment.name, name);
      if (!dashboard) throw unknown(caller, name);
      const integrations = await listForCaller(syncService, caller);
      return integrations.filter(({ id }) => dashboard.appIds.includes(id));
    }),

    saveSyncDashboard: route(contract.saveSyncDashboard, async ({ caller, input }) => {
      const { name, isNew = false } = input;
      const environment = caller.environment.name;
      const deed = { action: 'sync.save-dashboard', resource: name, description: 'Sync dashboard saved' };
      await permissions.require(caller, 'sync.change', name);
      const before = await findDashboard(pool, environment, name);
      try {
        if (reserved.has(name)) throw new Invalid(`A dashboard cannot be called ${name}.`);
        const appIds = [...new Set(input.appIds)];
        await Promise.all(appIds.map((appId) => requireApp(caller, appId)));
        const wished = { name, appIds };
        if (isNew && !(await createDashboard(pool, environment, wished)))
          throw new Conflict(contract.dashboardTexts.nameTaken(name));
        const { byId } = await caller.apps();
        const change = { seen: [...byId.keys()], before: input.before };
        const after = { appIds: isNew ? appIds : await saveDashboard(pool, environment, wished, change) };
        await audit.write(caller, { ...deed, before: before && { appIds: before.appIds }, after, outcome: 'done' });
        return { name, appIds: after.appIds.filter((appId) => byId.has(appId)) };
      } catch (error) {
        await audit.write(caller, { ...deed, ...outcomeOf(error) });
        throw error;
      }
    }),

    deleteSyncDashboard: route(contract.deleteSyncDashboard, async ({ caller, request }) => {
      const name = nameOf(request);
      await permissions.require(caller, 'sync.change', name);
      const appIds = await deleteDashboard(pool, caller.environment.name, name);
      const deed = { action: 'sync.delete-dashboard', resource: name, description: 'Sync dashboard deleted' };
      if (!appIds) {
        const problem = unknown(caller, name);
        await audit.write(caller, { ...deed, ...outcomeOf(problem) });
        throw problem;
      }
      await audit.write(caller, { ...deed, before: { appIds }, outcome: 'done' });
      return { deleted: name };
    }),
  };
}

function nameOf({ params }: FastifyRequest): string {
  return nameParams.parse(params).name;
}

function unknown({ environment }: Caller, name: string): NotFound {
  return new NotFound(`There is no dashboard ${name} in ${environment.name}.`);
}
