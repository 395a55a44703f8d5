import * as z from 'zod/mini';
import { appIdSchema, appSchema } from './apps.ts';
import { distinct } from './distinct.ts';
import { endpoint } from './endpoint.ts';
import { heavy, light } from './rules.ts';

const shortText = z.string().check(z.maxLength(500));
const longText = z.string().check(z.maxLength(10_000));
/**
 * The specification defines `environment`; the server takes it from the session and rejects any
 * other value.
 */
const environmentField = { environment: z.optional(shortText) };
const maxApps = 500;
const appIds = z.array(appIdSchema).check(z.maxLength(maxApps), distinct());
const instant = z.iso.datetime({ offset: true }).check(z.maxLength(40));
const tagText = z.string().check(z.maxLength(2_000));

/** `MERGE`: scheduled. `RESOLVED`: completed or canceled. */
export const scheduleStatusSchema = z.enum(['MERGE', 'RESOLVED']);
export type ScheduleStatus = z.infer<typeof scheduleStatusSchema>;

/** How a resolved deployment ended. */
export const outcomeSchema = z.enum(['deployed', 'rolledBack', 'calledOff']);
export type Outcome = z.infer<typeof outcomeSchema>;

/** What is noted when a schedule is resolved. */
const outcomeNote = z.string().check(z.maxLength(2_000));

export const scheduleSchema = z.object({
  id: z.string(),
  /** ISO instant; evaluated and shown in the environment's time zone. */
  deploymentDate: z.string(),
  team: z.string(),
  /** The project's key. */
  jiraProject: z.string(),
  appIds: z.array(z.string()),
  appNames: z.array(z.string()),
  appSchemas: z.array(z.string()),
  releaseName: z.string(),
  releaseGroup: z.string(),
  /** URL of the tag in source control. */
  releaseTag: z.string(),
  /** The tag's name. */
  releaseDescription: z.string(),
  instructions: z.string(),
  dataSource: z.string(),
  environment: z.string(),
  scheduleStatus: scheduleStatusSchema,
  /** null until it is resolved, and if it was resolved without one. */
  outcome: z.nullable(outcomeSchema),
  /** What was noted when it was resolved; empty otherwise. */
  outcomeNote: z.string(),
  /** The user who saved it last. */
  portalUser: z.string(),
  /** Increases with each save; compared with `expected`. */
  revision: z.number(),
  /** ISO instant of the last save. */
  updatedAt: z.string(),
});
export type Schedule = z.infer<typeof scheduleSchema>;

/** Returns the teams in alphabetical order. */
export const getDeploymentTeams = endpoint({
  method: 'GET',
  path: '/portal-backend/api/deployment/teams',
  summary: 'List the developer teams',
  may: 'deployments.view',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: z.array(z.string()),
});

export const projectSchema = z.object({ key: z.string(), name: z.string() });
export type Project = z.infer<typeof projectSchema>;

/** `team`: its name without spaces. */
export const getJiraProjects = endpoint({
  method: 'GET',
  path: '/portal-backend/api/deployment/jira-project/:team',
  summary: 'List the JIRA projects of a team',
  may: 'deployments.view',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: z.array(projectSchema),
});

export const getDeploymentApps = endpoint({
  method: 'POST',
  path: '/portal-backend/api/deployment/apps/',
  summary: 'List the apps of a data source that can be released',
  may: 'deployments.view',
  about: { dataSource: 'dataSource' },
  recorded: false,
  cost: light(),
  request: z.object({
    ...environmentField,
    dataSource: shortText,
    team: z.optional(shortText),
    jiraProject: z.optional(shortText),
  }),
  response: z.array(appSchema),
});

/**
 * Returns the schedules of the environment, including resolved ones, the latest date first. Returns
 * all of them without a `limit`. `from` is inclusive and `to` exclusive, by the date of deployment.
 * `since` is the last save that the caller has seen: those saved since then are returned, and
 * possibly some of the minute before.
 */
export const getSchedules = endpoint({
  method: 'GET',
  path: '/portal-backend/api/deployment/list',
  summary: 'List the deployment schedules of the environment',
  may: 'deployments.view',
  about: {},
  recorded: false,
  cost: heavy(),
  request: z.optional(
    z.object({
      limit: z.optional(z.coerce.number().check(z.int(), z.minimum(1))),
      from: z.optional(instant),
      to: z.optional(instant),
      status: z.optional(scheduleStatusSchema),
      since: z.optional(instant),
    }),
  ),
  response: z.array(scheduleSchema),
});

const scheduleFields = {
  ...environmentField,
  deploymentDate: shortText,
  team: shortText,
  jiraProject: shortText,
  appIds,
  releaseName: shortText,
  releaseGroup: shortText,
  releaseTag: tagText,
  instructions: z.optional(longText),
  dataSource: shortText,
};

/**
 * Creates (`scheduleId` is the word null) or updates a schedule. The server sets the names and
 * schemas of the apps, the tag's name and the user itself. `expected` is the revision the caller
 * has seen; the call fails with 409 if there is a newer one. `requestKey` makes the call
 * idempotent.
 */
export const mergeSchedule = endpoint({
  method: 'POST',
  path: '/portal-backend/api/deployment/merge/:scheduleId',
  summary: 'Create or update a deployment schedule',
  may: 'deployments.change',
  about: { schedule: 'scheduleId' },
  recorded: { action: ['deployment.create', 'deployment.update'], description: 'Deployment scheduled' },
  cost: light({ maxBodyBytes: 1024 * 1024 }),
  request: z.object({
    ...scheduleFields,
    id: z.optional(z.nullable(shortText)),
    scheduleStatus: z.optional(z.literal('MERGE')),
    status: z.optional(z.literal('MERGE')),
    appNames: z.optional(z.array(shortText).check(z.maxLength(maxApps))),
    appSchemas: z.optional(z.array(shortText).check(z.maxLength(maxApps))),
    releaseDescription: z.optional(tagText),
    portalUser: z.optional(shortText),
    // Of a schedule that is sent back as it was listed; ignored like the names and schemas.
    outcome: z.optional(z.nullable(outcomeSchema)),
    outcomeNote: z.optional(outcomeNote),
    revision: z.optional(z.number()),
    updatedAt: z.optional(shortText),
    expected: z.optional(z.number()),
    requestKey: z.optional(z.string().check(z.maxLength(100))),
  }),
  response: scheduleSchema,
});

/** Portal extension: the outcome and the note. */
export const resolveSchedule = endpoint({
  method: 'POST',
  path: '/portal-backend/api/deployment/resolve/:scheduleId',
  summary: 'Resolve a deployment schedule',
  may: 'deployments.change',
  about: { schedule: 'scheduleId' },
  recorded: { action: 'deployment.resolve', description: 'Deployment resolved' },
  cost: light(),
  request: z.optional(
    z.object({
      expected: z.optional(z.number()),
      outcome: z.optional(outcomeSchema),
      note: z.optional(outcomeNote),
    }),
  ),
  response: z.object({ id: z.string(), scheduleStatus: z.literal('RESOLVED') }),
});

/** One save of a schedule. */
export const scheduleChangeSchema = z.object({
  revision: z.number(),
  /** ISO instant. */
  at: z.string(),
  by: z.string(),
  kind: z.enum(['created', 'updated', 'resolved']),
  /** The changed fields, as labels and texts. */
  changes: z.array(z.object({ field: z.string(), before: z.nullable(z.string()), after: z.nullable(z.string()) })),
});
export type ScheduleChange = z.infer<typeof scheduleChangeSchema>;

/** Portal extension: newest first. */
export const getScheduleHistory = endpoint({
  method: 'GET',
  path: '/portal-backend/api/deployment/history/:scheduleId',
  summary: 'List who saved a schedule, when, and what they changed',
  may: 'deployments.view',
  about: { schedule: 'scheduleId' },
  recorded: false,
  cost: light(),
  request: null,
  response: z.array(scheduleChangeSchema),
});

/** Two deployments of the same target conflict when they are at most this many hours apart. */
export const conflictHours = 2;

/**
 * Portal extension: returns other schedules within two hours that affect the same app, schema or
 * data source. `id` excludes the schedule itself.
 */
export const findScheduleConflicts = endpoint({
  method: 'POST',
  path: '/portal-backend/api/deployment/conflicts',
  summary: 'Find schedules that conflict with a deployment',
  may: 'deployments.view',
  about: { apps: 'appIds' },
  recorded: false,
  cost: light({ maxBodyBytes: 64 * 1024 }),
  request: z.object({
    ...environmentField,
    id: z.optional(z.nullable(shortText)),
    dataSource: shortText,
    appIds,
    deploymentDate: shortText,
  }),
  response: z.array(
    z.object({
      id: z.string(),
      releaseName: z.string(),
      team: z.string(),
      deploymentDate: z.string(),
      /** 'same app: Stock Visibility', 'same data source: helium-app-1' */
      reasons: z.array(z.string()),
    }),
  ),
});

/** Portal extension: the settings of the wizard. */
export const getDeploymentSettings = endpoint({
  method: 'GET',
  path: '/portal-backend/api/deployment/settings',
  summary: 'Get the source control address and the time zone of deployments',
  may: 'deployments.view',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: z.object({ sourceControlPrefix: z.string(), timeZone: z.string() }),
});

/**
 * Portal extension: the caller's own calendar feed for this environment. Its address is a secret
 * that the caller can revoke.
 */
export const getCalendarFeed = endpoint({
  method: 'GET',
  path: '/portal-backend/api/deployment/feed',
  summary: "Get the state of the caller's calendar feed",
  may: 'deployments.view',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: z.object({ createdAt: z.nullable(z.string()), lastReadAt: z.nullable(z.string()) }),
});

/** Returns the address, which is not shown again. A new address disables the old one. */
export const createCalendarFeed = endpoint({
  method: 'POST',
  path: '/portal-backend/api/deployment/feed',
  summary: 'Create a calendar feed, or a new address for it',
  may: 'deployments.view',
  about: {},
  recorded: { action: 'deployment.feed', description: 'Calendar feed created' },
  cost: light(),
  request: null,
  response: z.object({ path: z.string(), createdAt: z.string() }),
});

export const revokeCalendarFeed = endpoint({
  method: 'DELETE',
  path: '/portal-backend/api/deployment/feed',
  summary: 'Revoke the calendar feed',
  may: 'deployments.view',
  about: {},
  recorded: { action: 'deployment.feed', description: 'Calendar feed revoked' },
  cost: light(),
  request: null,
  response: z.object({ revoked: z.literal(true) }),
});
