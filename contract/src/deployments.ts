import * as z from 'zod/mini';
import { appIdSchema, appSchema } from './apps.ts';
import { endpoint } from './endpoint.ts';

const short = z.string().check(z.maxLength(500));
const long = z.string().check(z.maxLength(10_000));
/**
 * `environment` is the specification's; the server takes it from the session and refuses others.
 */
const environmentField = { environment: z.optional(short) };
const appIds = z.array(appIdSchema).check(z.maxLength(500));

/** `MERGE`: scheduled, as saved last. `RESOLVED`: over, or called off. */
export const scheduleStatusSchema = z.enum(['MERGE', 'RESOLVED']);
export type ScheduleStatus = z.infer<typeof scheduleStatusSchema>;

export const scheduleSchema = z.object({
  id: z.string(),
  /** ISO instant; judged and shown in the environment's zone. */
  deploymentDate: z.string(),
  team: z.string(),
  /** The project's key. */
  jiraProject: z.string(),
  appIds: z.array(z.string()),
  appNames: z.array(z.string()),
  appSchemas: z.array(z.string()),
  releaseName: z.string(),
  releaseGroup: z.string(),
  /** Address of the tag in source control. */
  releaseTag: z.string(),
  /** The tag's name. */
  releaseDescription: z.string(),
  instructions: z.string(),
  dataSource: z.string(),
  environment: z.string(),
  scheduleStatus: scheduleStatusSchema,
  /** Who saved it last. */
  portalUser: z.string(),
  /** Grows with each save: what `expected` is held against. */
  revision: z.number(),
  /** ISO instant of the last save. */
  updatedAt: z.string(),
});
export type Schedule = z.infer<typeof scheduleSchema>;

/** The teams, by name. */
export const getDeploymentTeams = endpoint({
  method: 'GET',
  path: '/portal-backend/api/deployment/teams',
  summary: 'The developer teams that release',
  access: 'session',
  request: null,
  response: z.array(z.string()),
});

export const projectSchema = z.object({ key: z.string(), name: z.string() });
export type Project = z.infer<typeof projectSchema>;

/** `team`: its name without spaces. */
export const getJiraProjects = endpoint({
  method: 'GET',
  path: '/portal-backend/api/deployment/jira-project/:team',
  summary: 'The JIRA projects of a team',
  access: 'session',
  request: null,
  response: z.array(projectSchema),
});

export const getDeploymentApps = endpoint({
  method: 'POST',
  path: '/portal-backend/api/deployment/apps',
  summary: 'The apps of a data source that can be released',
  access: 'session',
  request: z.object({
    ...environmentField,
    dataSource: short,
    team: z.optional(short),
    jiraProject: z.optional(short),
  }),
  response: z.array(appSchema),
});

/**
 * The schedules of the environment, resolved ones too; the latest date first. All of them without a
 * `limit`.
 */
export const getSchedules = endpoint({
  method: 'GET',
  path: '/portal-backend/api/deployment/list',
  summary: 'The deployment schedules of the environment',
  access: 'session',
  request: z.optional(z.object({ limit: z.optional(z.coerce.number().check(z.int(), z.minimum(1))) })),
  response: z.array(scheduleSchema),
});

const scheduleFields = {
  ...environmentField,
  deploymentDate: short,
  team: short,
  jiraProject: short,
  appIds,
  releaseName: short,
  releaseGroup: short,
  releaseTag: z.string().check(z.maxLength(2_000)),
  instructions: z.optional(long),
  dataSource: short,
};

/**
 * Creates (`scheduleId` is the word null) or updates a schedule. Names and schemas of the apps, the
 * tag's name and the user come from the server, whatever is sent. `expected` is the revision the
 * caller has seen: 409 when there is a newer one. `requestKey` makes a save that is sent twice one
 * save.
 */
export const mergeSchedule = endpoint({
  method: 'POST',
  path: '/portal-backend/api/deployment/merge/:scheduleId',
  summary: 'Schedule a deployment, or change its schedule',
  access: 'session',
  request: z.object({
    ...scheduleFields,
    id: z.optional(z.nullable(short)),
    scheduleStatus: z.optional(z.literal('MERGE')),
    status: z.optional(z.literal('MERGE')),
    appNames: z.optional(z.array(z.string())),
    appSchemas: z.optional(z.array(z.string())),
    releaseDescription: z.optional(z.string()),
    portalUser: z.optional(short),
    expected: z.optional(z.number()),
    requestKey: z.optional(z.string().check(z.maxLength(100))),
  }),
  response: scheduleSchema,
});

export const resolveSchedule = endpoint({
  method: 'POST',
  path: '/portal-backend/api/deployment/resolve/:scheduleId',
  summary: 'End a schedule',
  access: 'session',
  request: z.optional(z.object({ expected: z.optional(z.number()) })),
  response: z.object({ id: z.string(), scheduleStatus: z.literal('RESOLVED') }),
});

/** One save of a schedule. */
export const scheduleChangeSchema = z.object({
  revision: z.number(),
  /** ISO instant. */
  at: z.string(),
  by: z.string(),
  kind: z.enum(['created', 'updated', 'resolved']),
  /** The fields that became something else, in words for people. */
  changes: z.array(z.object({ field: z.string(), before: z.nullable(z.string()), after: z.nullable(z.string()) })),
});
export type ScheduleChange = z.infer<typeof scheduleChangeSchema>;

/** Ours: newest first. */
export const getScheduleHistory = endpoint({
  method: 'GET',
  path: '/portal-backend/api/deployment/history/:scheduleId',
  summary: 'Who saved a schedule, when, and what they changed',
  access: 'session',
  request: null,
  response: z.array(scheduleChangeSchema),
});

/** Hours within which two deployments of the same thing are in each other's way. */
export const conflictHours = 2;

/**
 * Ours: other schedules within two hours that touch the same app, schema or data source. `id`: the
 * schedule itself.
 */
export const findScheduleConflicts = endpoint({
  method: 'POST',
  path: '/portal-backend/api/deployment/conflicts',
  summary: 'What is in the way of a deployment',
  access: 'session',
  request: z.object({
    ...environmentField,
    id: z.optional(z.nullable(short)),
    dataSource: short,
    appIds,
    deploymentDate: short,
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

/** Ours: what the wizard must know. */
export const getDeploymentSettings = endpoint({
  method: 'GET',
  path: '/portal-backend/api/deployment/settings',
  summary: 'Where source control is, and the zone deployments are judged in',
  access: 'session',
  request: null,
  response: z.object({ sourceControlPrefix: z.string(), timeZone: z.string() }),
});

/**
 * Ours: the caller's own calendar feed of this environment. Its address is a secret that can be
 * taken back.
 */
export const getCalendarFeed = endpoint({
  method: 'GET',
  path: '/portal-backend/api/deployment/feed',
  summary: 'Whether the caller has a calendar feed',
  access: 'session',
  request: null,
  response: z.object({ createdAt: z.nullable(z.string()), lastReadAt: z.nullable(z.string()) }),
});

/** The address is told this once; a new one ends the one before. */
export const createCalendarFeed = endpoint({
  method: 'POST',
  path: '/portal-backend/api/deployment/feed',
  summary: 'Make a calendar feed, or a new address for it',
  access: 'session',
  request: null,
  response: z.object({ path: z.string(), createdAt: z.string() }),
});

export const revokeCalendarFeed = endpoint({
  method: 'DELETE',
  path: '/portal-backend/api/deployment/feed',
  summary: 'End the calendar feed',
  access: 'session',
  request: null,
  response: z.object({ revoked: z.literal(true) }),
});
