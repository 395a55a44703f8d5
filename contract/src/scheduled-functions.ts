import * as z from 'zod/mini';
import { appIdSchema, credentialsSchema } from './apps.ts';
import { endpoint } from './endpoint.ts';

const short = z.string().check(z.maxLength(500));

const functionStateSchema = z.enum(['Enabled', 'Disabled']);
export type FunctionState = z.infer<typeof functionStateSchema>;

const scheduledEventSchema = z.object({
  /** Cron, five fields. */
  schedule: z.string(),
  unit: z.string(),
  event: z.string(),
  state: functionStateSchema,
  /** Ours: the schedule as a sentence, or null where it cannot be read. */
  scheduleInWords: z.nullable(z.string()),
  /**
   * Ours: ISO instant of the next run in the environment's zone; null when toggled off or
   * unreadable.
   */
  nextRun: z.nullable(z.string()),
});
export type ScheduledEvent = z.infer<typeof scheduledEventSchema>;

export const getScheduledEvents = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/get-scheduled-events',
  summary: 'The scheduled functions of an app',
  access: 'session',
  request: z.object({ credentials: z.optional(credentialsSchema), baseUrl: z.optional(short), appId: appIdSchema }),
  response: z.array(scheduledEventSchema),
});

export const toggleScheduledEvent = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/toggle-scheduled-event',
  summary: 'Switch a scheduled function on or off',
  access: 'session',
  request: z.object({
    credentials: z.optional(credentialsSchema),
    baseUrl: z.optional(short),
    appId: appIdSchema,
    /** 'unit:event' */
    scheduledEvent: short,
    /** The state it shall have. */
    state: functionStateSchema,
  }),
  response: 'text',
});

const scheduledFunctionResultSchema = z.object({
  qualifiedName: z.string(),
  /** ISO instants; finished is null while it runs. */
  started: z.string(),
  finished: z.nullable(z.string()),
  exception: z.nullable(z.string()),
  stacktrace: z.nullable(z.string()),
});
export type ScheduledFunctionResult = z.infer<typeof scheduledFunctionResultSchema>;

/**
 * The newest results first, 1,000 at most, with at least the last one of every function. `uuid` is
 * the app id.
 */
export const getScheduledFunctionResults = endpoint({
  method: 'POST',
  path: '/portal-backend/api/debug/scheduled-function',
  summary: 'Recently processed scheduled functions of an app',
  access: 'session',
  request: z.object({ environment: z.optional(short), uuid: appIdSchema }),
  response: z.array(scheduledFunctionResultSchema),
});
