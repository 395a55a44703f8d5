import * as z from 'zod/mini';
import { distinct } from '../distinct.ts';
import { endpoint } from '../endpoint.ts';
import { light } from '../rules.ts';
import { syncIntegrationSchema } from './integration.ts';

const dashboardNameSchema = z.string().check(z.trim(), z.minLength(1), z.maxLength(200));

const appIdsSchema = z.array(z.string().check(z.maxLength(100))).check(z.maxLength(1000), distinct());

const syncDashboardSchema = z.object({
  name: z.string(),
  appIds: z.array(z.string()),
  /** Portal extension: why the user may not change or delete it; null if they may. */
  refusal: z.nullable(z.string()),
});
export type SyncDashboard = z.infer<typeof syncDashboardSchema>;

/** The refresh interval of the results. */
export const dashboardRefreshMs = 300_000;

export const getSyncDashboards = endpoint({
  method: 'GET',
  path: '/portal-backend/api/sync-dashboard/null',
  summary: 'List the sync dashboards of the environment',
  may: 'sync.view',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: z.array(syncDashboardSchema),
});

/** Returns the current integrations of a dashboard. Apps without an integration are omitted. */
export const getSyncDashboard = endpoint({
  method: 'GET',
  path: '/portal-backend/api/sync-dashboard/:name',
  summary: 'Get the results of a dashboard',
  may: 'sync.view',
  about: { dashboard: 'name' },
  recorded: false,
  cost: light(),
  request: null,
  response: z.array(syncIntegrationSchema),
});

export const saveSyncDashboard = endpoint({
  method: 'POST',
  path: '/portal-backend/api/sync-dashboard/',
  summary: 'Create or change a dashboard',
  may: 'dashboards.change',
  about: { dashboard: 'name', apps: 'appIds' },
  recorded: { action: 'sync.save-dashboard', description: 'Sync dashboard saved' },
  cost: light({ maxBodyBytes: 256 * 1024 }),
  request: z.object({
    name: dashboardNameSchema,
    appIds: appIdsSchema,
    /**
     * Portal extension: the apps at the start of the edit. Changes that others have made since are
     * preserved.
     */
    before: z.optional(appIdsSchema),
    /** Portal extension: creates a dashboard, and fails if the name is taken. */
    isNew: z.optional(z.boolean()),
  }),
  response: syncDashboardSchema,
});

export const deleteSyncDashboard = endpoint({
  method: 'DELETE',
  path: '/portal-backend/api/sync-dashboard/:name',
  summary: 'Delete a dashboard',
  may: 'dashboards.change',
  about: { dashboard: 'name' },
  recorded: { action: 'sync.delete-dashboard', description: 'Sync dashboard deleted' },
  cost: light(),
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
