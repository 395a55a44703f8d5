import * as z from 'zod/mini';
import { appIdSchema, appSchema } from './apps.ts';
import { endpoint } from './endpoint.ts';

const short = z.string().check(z.maxLength(500));
/** Why somebody asks for it; kept with the grant. */
const reason = z.optional(z.string().check(z.maxLength(1000)));
/**
 * `environment` is the specification's; the server takes it from the session and refuses others.
 */
const environmentField = { environment: z.optional(short) };
/**
 * The fingerprint of the plan the caller has seen: refused with 409 when it would be another one by
 * now.
 */
const expected = z.optional(short);

/** What the ping of a data source that answers reads. */
export const pingSuccessful = 'Ping successful';

/**
 * Each action is one SQL statement, in order, ending in a semicolon. `grantId` finds it in the
 * history; it is absent where nothing had to be done and where SQL was only generated.
 */
const actionsSchema = z.object({ actions: z.array(z.string()), grantId: z.optional(z.string()) });
export type AccessActions = z.infer<typeof actionsSchema>;

export const getTeamNames = endpoint({
  method: 'POST',
  path: '/portal-backend/api/schema-access/team-names',
  summary: 'The teams a schema may be given to',
  access: 'session',
  request: null,
  response: z.array(z.string()),
});

/** The error of a grant that failed carries the actions it consisted of; none of them remains. */
export const migrateApp = endpoint({
  method: 'POST',
  path: '/portal-backend/api/schema-access/migrate-app',
  summary: "Make a team the owner of all objects in an app's schema",
  access: 'session',
  request: z.object({ ...environmentField, teamUser: short, appId: appIdSchema, reason, expected }),
  response: actionsSchema,
});

export const migrateSchema = endpoint({
  method: 'POST',
  path: '/portal-backend/api/schema-access/migrate-schema',
  summary: 'Make a team the owner of all objects in a schema',
  access: 'session',
  request: z.object({ ...environmentField, dataSource: short, teamUser: short, schemaName: short, reason, expected }),
  response: actionsSchema,
});

/** Runs nothing: the whole transaction as SQL, to be run by hand. */
export const generateSql = endpoint({
  method: 'POST',
  path: '/portal-backend/api/schema-access/generate-sql',
  summary: 'The SQL that makes a team the owner of all objects in a schema',
  access: 'session',
  request: z.object({ ...environmentField, teamUser: short, schemaName: short }),
  response: actionsSchema,
});

/** `response` is 'Ping successful', or a sentence that says why not. */
export const pingDatabase = endpoint({
  method: 'POST',
  path: '/portal-backend/api/schema-access/ping-database',
  summary: 'Whether a data source answers',
  access: 'session',
  request: z.object({ ...environmentField, dataSource: short }),
  response: z.object({ response: z.string() }),
});

export const getAppSchemas = endpoint({
  method: 'POST',
  path: '/portal-backend/api/schema-access/app-schemas',
  summary: 'The apps whose schemas a data source holds',
  access: 'session',
  request: z.object({ ...environmentField, dataSource: short }),
  response: z.array(appSchema),
});

/** What would happen, known from a dry run that was rolled back. */
const accessPlanSchema = z.object({
  dataSource: z.string(),
  schemaName: z.string(),
  /** The role that owns the schema now, and the one that would. */
  owner: z.string(),
  newOwner: z.string(),
  /** The role the app works as, which goes on working. */
  appRole: z.string(),
  /** Empty when everything is as it would be made already. */
  actions: z.array(z.string()),
  /** How many objects of each kind change hands, the most first: {kind: 'table', count: 12}. */
  counts: z.array(z.object({ kind: z.string(), count: z.number() })),
  /** Sentences worth reading before it runs. */
  warnings: z.array(z.string()),
  /** Send it along as `expected`. */
  fingerprint: z.string(),
  /** How long the dry run took, and so about how long the schema will be locked. */
  tookMs: z.number(),
});
export type AccessPlan = z.infer<typeof accessPlanSchema>;

/** Ours: give either `appId`, or `dataSource` and `schemaName`. */
export const planAccess = endpoint({
  method: 'POST',
  path: '/portal-backend/api/schema-access/plan',
  summary: 'What granting a team access would do, from a dry run that is rolled back',
  access: 'session',
  request: z.object({
    ...environmentField,
    teamUser: short,
    appId: z.optional(appIdSchema),
    dataSource: z.optional(short),
    schemaName: z.optional(short),
  }),
  response: accessPlanSchema,
});

/** Ours. */
export const planRevert = endpoint({
  method: 'POST',
  path: '/portal-backend/api/schema-access/plan-revert',
  summary: 'What reverting a grant would do, from a dry run that is rolled back',
  access: 'session',
  request: z.object({ ...environmentField, grantId: short }),
  response: accessPlanSchema,
});

/**
 * Ours: owners and privileges become what they were before the grant. Only the newest grant of a
 * schema can be reverted.
 */
export const revertAccess = endpoint({
  method: 'POST',
  path: '/portal-backend/api/schema-access/revert',
  summary: 'Take a grant back: owners and privileges as they were before',
  access: 'session',
  request: z.object({ ...environmentField, grantId: short, reason, expected }),
  response: actionsSchema,
});

/**
 * - `granted`: the team has access now.
 * - `replaced`: a later grant gave the schema to another team.
 * - `reverted`: taken back.
 * - `running`: under way just now, or begun by a server that stopped and not looked at since.
 */
const grantStateSchema = z.enum(['granted', 'replaced', 'reverted', 'running']);

/** Who has, or had, access to a schema, since when, by whom and why. */
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
  /** When it was replaced or reverted, and by whom; null while it holds. */
  endedAt: z.nullable(z.string()),
  endedBy: z.nullable(z.string()),
  endReason: z.nullable(z.string()),
  previousOwner: z.string(),
  counts: z.array(z.object({ kind: z.string(), count: z.number() })),
});
export type AccessGrant = z.infer<typeof accessGrantSchema>;

/** Ours: of the apps the caller sees, newest first. */
export const getAccessHistory = endpoint({
  method: 'GET',
  path: '/portal-backend/api/schema-access/history',
  summary: 'Who has, or had, access to which schema',
  access: 'session',
  request: z.object({ appId: z.optional(appIdSchema) }),
  response: z.array(accessGrantSchema),
});

/** Ours: the receipt of a grant. */
export const getAccessGrant = endpoint({
  method: 'GET',
  path: '/portal-backend/api/schema-access/grant',
  summary: 'What a grant ran, and the SQL that takes it back',
  access: 'session',
  request: z.object({ grantId: short }),
  response: z.object({
    grant: accessGrantSchema,
    actions: z.array(z.string()),
    /** As things are now; empty where there is an obstacle. */
    inverse: z.array(z.string()),
    /** Why it cannot be reverted, in words; null when it can. */
    obstacle: z.nullable(z.string()),
  }),
});
