import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { syncIntegrationSchema } from './sync-integration.ts';

const dashboardNameSchema = z.string().check(z.trim(), z.minLength(1), z.maxLength(200));

const appIdsSchema = z.array(z.string().check(z.maxLength(100))).check(z.maxLength(1000));

const syncDashboardSchema = z.object({ name: z.string(), appIds: z.array(z.string()) });
export type SyncDashboard = z.infer<typeof syncDashboardSchema>;

/** Results refresh this often. */
export const dashboardRefreshMs = 300_000;

export const getSyncDashboards = endpoint({
  method: 'GET',
  path: '/portal-backend/api/sync-dashboard/null',
  summary: 'The sync dashboards of the environment',
  access: 'session',
  request: null,
  response: z.array(syncDashboardSchema),
});

/** The integrations of a dashboard as they are now; apps that have none any more are left out. */
export const getSyncDashboard = endpoint({
  method: 'GET',
  path: '/portal-backend/api/sync-dashboard/:name',
  summary: "One dashboard's results",
  access: 'session',
  request: null,
  response: z.array(syncIntegrationSchema),
});

export const saveSyncDashboard = endpoint({
  method: 'POST',
  path: '/portal-backend/api/sync-dashboard/',
  summary: 'Create or change a dashboard',
  access: 'session',
  request: z.object({
    name: dashboardNameSchema,
    appIds: appIdsSchema,
    /**
     * Ours: the apps it had when the change began. What others have put in or taken out since stays
     * so.
     */
    before: z.optional(appIdsSchema),
    /** Ours: it is to be a new one, and refused where there is one of that name. */
    isNew: z.optional(z.boolean()),
  }),
  response: syncDashboardSchema,
});

export const deleteSyncDashboard = endpoint({
  method: 'DELETE',
  path: '/portal-backend/api/sync-dashboard/:name',
  summary: 'Delete a dashboard',
  access: 'session',
  request: null,
  response: z.object({ deleted: z.string() }),
});

export const dashboardTexts = {
  lookingUp: 'Problem looking up dashboards',
  lookingUpResults: 'Problem looking up results for dashboard',
  saving: 'Unable to save dashboard',
  deleting: 'Unable to delete dashboard',
  saved: 'Dashboard saved',
  deleted: 'Dashboard deleted',
  nameTaken: (name: string) => `There is already a dashboard named ${name}.`,
} as const;
