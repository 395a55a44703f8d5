/** How many records an integration synced over time, and how long changes waited. */
import * as z from 'zod/mini';
import { endpoint } from '../endpoint.ts';
import { light } from '../rules.ts';
import { appIdSchema } from './config.ts';

/** Each ends with the interval of now, and each interval begins at a multiple of its length. */
export const activitySpans = {
  day: { stepMs: 900_000, intervals: 96 },
  week: { stepMs: 3_600_000, intervals: 168 },
  month: { stepMs: 14_400_000, intervals: 180 },
} as const;
const activitySpanSchema = z.enum(['day', 'week', 'month']);
export type ActivitySpan = z.infer<typeof activitySpanSchema>;

/** The list has the hours of one day. */
export const listedHours = 24;

const activityIntervalSchema = z.object({
  /** When it begins, epoch milliseconds. */
  at: z.number(),
  /** Records synced in it. */
  toJourney: z.number(),
  toHelium: z.number(),
  /** The longest that a change was seen waiting in it. */
  toJourneyLagMs: z.number(),
  toHeliumLagMs: z.number(),
});
export type ActivityInterval = z.infer<typeof activityIntervalSchema>;

const activitySchema = z.object({
  /** The beginning of the first interval, epoch milliseconds. */
  from: z.number(),
  /** Those in which records were synced or changes waited, oldest first. */
  intervals: z.array(activityIntervalSchema),
});
export type Activity = z.infer<typeof activitySchema>;

/** The figures are up to 15 seconds behind. */
export const getActivity = endpoint({
  method: 'GET',
  path: '/activity/:appId',
  summary: 'List the records that an integration synced and the longest lags, per interval of a day, a week or 30 days',
  may: 'sync.view',
  about: { app: 'appId' },
  recorded: false,
  cost: light(),
  request: z.object({ span: activitySpanSchema }),
  response: activitySchema,
});

/** Names the integrations with any activity. */
export const listActivity = endpoint({
  method: 'GET',
  path: '/activity',
  summary: 'List the activity of the last 24 hours, per hour, of the integrations of the environment',
  may: 'sync.view',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: z.object({
    from: z.number(),
    integrations: z.array(z.object({ appId: appIdSchema, intervals: z.array(activityIntervalSchema) })),
  }),
});
