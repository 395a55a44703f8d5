import * as z from 'zod/mini';
import { appIdSchema, appSchema } from './apps.ts';
import { endpoint } from './endpoint.ts';
import { light } from './rules.ts';

const shortText = z.string().check(z.maxLength(500));
/** Why the user requests it; stored with the grant. */
const reason = z.optional(z.string().check(z.maxLength(1000)));
/**
 * The specification defines `environment`; the server takes it from the session and rejects any
 * other value.
 */
const environmentField = { environment: z.optional(shortText) };
/**
 * The fingerprint of the plan that the caller has seen. The call fails with 409 if the plan has
 * changed since.
 */
const expected = z.optional(shortText);

/** The specified response of a successful ping. */
export const pingSuccessful = 'Ping successful';

/**
 * Each action is one SQL statement, in order, ending in a semicolon. `grantId` identifies the grant
 * in the history; it is absent if nothing had to be done.
 */
const actionsSchema = z.object({ actions: z.array(z.string()), grantId: z.optional(z.string()) });
export type AccessActions = z.infer<typeof actionsSchema>;

export const getTeamNames = endpoint({
  method: 'POST',
  path: '/portal-backend/api/schema-access/team-names',
  summary: 'List the teams that can be granted access to a schema',
  may: 'schema-access.view',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: z.array(z.string()),
});

/** The error of a failed grant lists its actions, all of which were rolled back. */
export const migrateApp = endpoint({
  method: 'POST',
  path: '/portal-backend/api/schema-access/migrate-app',
  summary: "Make a team the owner of all objects in an app's schema",
  may: 'schema-access.grant',
  about: { app: 'appId' },
  recorded: { action: 'schema-access.grant', description: 'Access to the schema of an app' },
  cost: light(),
  request: z.object({ ...environmentField, teamUser: shortText, appId: appIdSchema, reason, expected }),
  response: actionsSchema,
});

export const migrateSchema = endpoint({
  method: 'POST',
  path: '/portal-backend/api/schema-access/migrate-schema',
  summary: 'Make a team the owner of all objects in a schema',
  may: 'schema-access.grant',
  about: { schema: 'schemaName' },
  recorded: { action: 'schema-access.grant', description: 'Access to a schema' },
  cost: light(),
  request: z.object({
    ...environmentField,
    dataSource: shortText,
    teamUser: shortText,
    schemaName: shortText,
    reason,
    expected,
  }),
  response: actionsSchema,
});

/**
 * Runs nothing. Returns the whole transaction as SQL to run manually. Accepts any name: if none of
 * the caller's apps has the schema, the SQL works on any schema of that name.
 */
export const generateSql = endpoint({
  method: 'POST',
  path: '/portal-backend/api/schema-access/generate-sql',
  summary: 'Generate the SQL that makes a team the owner of all objects in a schema',
  may: 'schema-access.view',
  about: { anySchema: 'schemaName' },
  recorded: false,
  cost: light(),
  request: z.object({ ...environmentField, teamUser: shortText, schemaName: shortText }),
  response: z.object({
    actions: z.array(z.string()),
    /** Whether the SQL reads the catalogs when it is run, instead of naming each object. */
    readsCatalog: z.boolean(),
  }),
});

/** `response` is 'Ping successful', or a sentence with the cause of the failure. */
export const pingDatabase = endpoint({
  method: 'POST',
  path: '/portal-backend/api/schema-access/ping-database',
  summary: 'Check whether a data source responds',
  may: 'schema-access.view',
  about: { dataSource: 'dataSource' },
  recorded: false,
  cost: light(),
  request: z.object({ ...environmentField, dataSource: shortText }),
  response: z.object({ response: z.string() }),
});

export const getAppSchemas = endpoint({
  method: 'POST',
  path: '/portal-backend/api/schema-access/app-schemas',
  summary: 'List the apps whose schemas are in a data source',
  may: 'schema-access.view',
  about: { dataSource: 'dataSource' },
  recorded: false,
  cost: light(),
  request: z.object({ ...environmentField, dataSource: shortText }),
  response: z.array(appSchema),
});

/** The effect of a grant or revert, determined by a dry run that was rolled back. */
const accessPlanSchema = z.object({
  dataSource: z.string(),
  schemaName: z.string(),
  /** The current owner of the schema, and the new one. */
  owner: z.string(),
  newOwner: z.string(),
  /** The role of the app, which keeps its access. */
  appRole: z.string(),
  /** Empty if there is nothing to change. */
  actions: z.array(z.string()),
  /**
   * Number of objects of each kind that change owner, the highest first: {kind: 'table', count:
   * 12}.
   */
  counts: z.array(z.object({ kind: z.string(), count: z.number() })),
  /** Warnings to read before running the plan, as sentences. */
  warnings: z.array(z.string()),
  /** Send it back as `expected`. */
  fingerprint: z.string(),
  /** Duration of the dry run, which approximates how long the schema will be locked. */
  tookMs: z.number(),
});
export type AccessPlan = z.infer<typeof accessPlanSchema>;

/** Portal extension: requires either `appId`, or `dataSource` and `schemaName`. */
export const planAccess = endpoint({
  method: 'POST',
  path: '/portal-backend/api/schema-access/plan',
  summary: 'Plan a grant with a dry run that is rolled back',
  may: 'schema-access.grant',
  about: { app: 'appId', schema: 'schemaName' },
  recorded: false,
  cost: light(),
  request: z.object({
    ...environmentField,
    teamUser: shortText,
    appId: z.optional(appIdSchema),
    dataSource: z.optional(shortText),
    schemaName: z.optional(shortText),
  }),
  response: accessPlanSchema,
});

/** Portal extension. */
export const planRevert = endpoint({
  method: 'POST',
  path: '/portal-backend/api/schema-access/plan-revert',
  summary: 'Plan the revert of a grant with a dry run that is rolled back',
  may: 'schema-access.grant',
  about: { grant: 'grantId' },
  recorded: false,
  cost: light(),
  request: z.object({ ...environmentField, grantId: shortText }),
  response: accessPlanSchema,
});

/**
 * Portal extension: restores the owners and privileges from before the grant. Only the newest grant
 * of a schema can be reverted.
 */
export const revertAccess = endpoint({
  method: 'POST',
  path: '/portal-backend/api/schema-access/revert',
  summary: 'Revert a grant: restore the previous owners and privileges',
  may: 'schema-access.grant',
  about: { grant: 'grantId' },
  recorded: { action: 'schema-access.revert', description: 'Access revoked' },
  cost: light(),
  request: z.object({ ...environmentField, grantId: shortText, reason, expected }),
  response: actionsSchema,
});

/**
 * - `granted`: the team has access now.
 * - `replaced`: a later grant gave the schema to another team.
 * - `reverted`: the grant was reverted.
 * - `running`: in progress, or started by a server that stopped and not checked since.
 */
const grantStateSchema = z.enum(['granted', 'replaced', 'reverted', 'running']);

/** A current or past grant of access to a schema: who, when, by whom and why. */
const accessGrantSchema = z.object({
  id: z.string(),
  state: grantStateSchema,
  dataSource: z.string(),
  schemaName: z.string(),
  appId: z.string(),
  appName: z.string(),
  team: z.string(),
  /** ISO instant. */
  grantedAt: z.string(),
  grantedBy: z.string(),
  reason: z.nullable(z.string()),
  /** When and by whom it was replaced or reverted; null while it is in effect. */
  endedAt: z.nullable(z.string()),
  endedBy: z.nullable(z.string()),
  endReason: z.nullable(z.string()),
  previousOwner: z.string(),
  counts: z.array(z.object({ kind: z.string(), count: z.number() })),
});
export type AccessGrant = z.infer<typeof accessGrantSchema>;

/** Portal extension: grants for the caller's apps, newest first. */
export const getAccessHistory = endpoint({
  method: 'GET',
  path: '/portal-backend/api/schema-access/history',
  summary: 'List current and past grants of schema access',
  may: 'schema-access.view',
  about: { app: 'appId' },
  recorded: false,
  cost: light(),
  request: z.object({ appId: z.optional(appIdSchema) }),
  response: z.array(accessGrantSchema),
});

/** Portal extension: the receipt of a grant. */
export const getAccessGrant = endpoint({
  method: 'GET',
  path: '/portal-backend/api/schema-access/grant',
  summary: 'Get what a grant ran, and the SQL to revert it',
  may: 'schema-access.view',
  about: { grant: 'grantId' },
  recorded: false,
  cost: light(),
  request: z.object({ grantId: shortText }),
  response: z.object({
    grant: accessGrantSchema,
    actions: z.array(z.string()),
    /** Based on the current state; empty if `obstacle` is set. */
    inverse: z.array(z.string()),
    /** Why the grant cannot be reverted; null if it can. */
    obstacle: z.nullable(z.string()),
  }),
});
