import * as z from 'zod/mini';
import { appIdSchema, credentialsSchema } from './apps.ts';
import { endpoint } from './endpoint.ts';
import { light } from './rules.ts';

const shortText = z.string().check(z.maxLength(500));

const functionStateSchema = z.enum(['Enabled', 'Disabled']);
export type FunctionState = z.infer<typeof functionStateSchema>;

const scheduledEventSchema = z.object({
  /** Cron expression with five fields. */
  schedule: z.string(),
  unit: z.string(),
  event: z.string(),
  state: functionStateSchema,
  /** Portal extension: the schedule as a sentence, or null if it cannot be parsed. */
  scheduleInWords: z.nullable(z.string()),
  /**
   * Portal extension: ISO instant of the next run in the environment's time zone; null if disabled
   * or unparsable.
   */
  nextRun: z.nullable(z.string()),
});
export type ScheduledEvent = z.infer<typeof scheduledEventSchema>;

export const getScheduledEvents = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/get-scheduled-events/',
  summary: 'List the scheduled functions of an app',
  may: 'functions.view',
  about: { app: 'appId' },
  recorded: false,
  cost: light(),
  request: z.object({ credentials: z.optional(credentialsSchema), baseUrl: z.optional(shortText), appId: appIdSchema }),
  response: z.array(scheduledEventSchema),
});

export const toggleScheduledEvent = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/toggle-scheduled-event',
  summary: 'Enable or disable a scheduled function',
  may: 'functions.toggle',
  about: { app: 'appId' },
  recorded: { action: 'functions.toggle', description: 'Scheduled function enabled or disabled' },
  cost: light(),
  request: z.object({
    credentials: z.optional(credentialsSchema),
    baseUrl: z.optional(shortText),
    appId: appIdSchema,
    /** 'unit:event' */
    scheduledEvent: shortText,
    /** The new state. */
    state: functionStateSchema,
    /**
     * Portal extension: the state on the page. If the function has another one now, the call fails
     * with 409.
     */
    expected: z.optional(functionStateSchema),
  }),
  response: 'text',
});

const scheduledFunctionResultSchema = z.object({
  qualifiedName: z.string(),
  /** ISO instants; `finished` is null while the function runs. */
  started: z.string(),
  finished: z.nullable(z.string()),
  exception: z.nullable(z.string()),
  stacktrace: z.nullable(z.string()),
});
export type ScheduledFunctionResult = z.infer<typeof scheduledFunctionResultSchema>;

export const maxFunctionResults = 1_000;

/** Returns the newest results, newest first. `uuid` is the app id. */
export const getScheduledFunctionResults = endpoint({
  method: 'POST',
  path: '/portal-backend/api/debug/scheduled-function',
  summary: "List recent results of an app's scheduled functions",
  may: 'functions.view',
  about: { app: 'uuid' },
  recorded: false,
  cost: light(),
  request: z.object({
    environment: z.optional(shortText),
    uuid: appIdSchema,
    /**
     * Portal extension: the maximum number of results. Default: 1,000, which is also the maximum.
     */
    limit: z.optional(z.int().check(z.minimum(1), z.maximum(maxFunctionResults))),
  }),
  response: z.array(scheduledFunctionResultSchema),
});

const lastFunctionResultsSchema = z.object({
  /** One per function, of at most 1,000 functions; null if they could not be read in time. */
  results: z.nullable(z.array(scheduledFunctionResultSchema)),
  /** Whether there are results of more functions. */
  isLimited: z.boolean(),
  /** SQL that creates the indexes without which reading a table of this size takes long. */
  indexStatements: z.array(z.string()),
});
export type LastFunctionResults = z.infer<typeof lastFunctionResultsSchema>;

/** Portal extension: returns the last result of each function. `uuid` is the app id. */
export const getLastFunctionResults = endpoint({
  method: 'POST',
  path: '/portal-backend/api/debug/last-function-results',
  summary: "List the last result of each of an app's scheduled functions",
  may: 'functions.view',
  about: { app: 'uuid' },
  recorded: false,
  cost: light(),
  request: z.object({ environment: z.optional(shortText), uuid: appIdSchema }),
  response: lastFunctionResultsSchema,
});
