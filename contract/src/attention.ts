import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { light } from './rules.ts';

/** An item in the environment that needs attention. */
export const attentionSchema = z.object({
  kind: z.enum([
    'deployment',
    'halted-sync',
    'stale-sync',
    'late-sync',
    'sync-conflicts',
    'failing-function',
    'disabled-app',
    'locked-app',
    'roster-gap',
  ]),
  /** The subject: an app's name or a release. */
  title: z.string(),
  /** A sentence. */
  detail: z.string(),
  /** ISO instant of the event, if there is one. */
  at: z.nullable(z.string()),
  /** The page to open, as a route: '/config/<app id>'. */
  route: z.string(),
});
export type Attention = z.infer<typeof attentionSchema>;

/** At most this many items of a kind are listed. */
export const maxItemsOfKind = 20;

/**
 * Portal extension: items for the caller's apps, the most urgent kind first. `problems` describes
 * the parts that could not be loaded. Apps are read in the background, so a response is never late,
 * but may be minutes old.
 */
export const getAttention = endpoint({
  method: 'GET',
  path: '/portal-backend/api/attention',
  summary: 'List what needs attention in the environment',
  may: 'session',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: z.object({
    /** The newest items of each kind; of deployments and gaps in rosters, the earliest. */
    items: z.array(attentionSchema),
    /** How many items there are of each kind that has some, including those that are not listed. */
    counts: z.partialRecord(attentionSchema.shape.kind, z.number()),
    problems: z.array(z.string()),
    /** Configurations and function results of the caller's apps. */
    checks: z.object({
      /** How many were never read. */
      missing: z.number(),
      /** ISO instant of the oldest; null if none was read. */
      oldest: z.nullable(z.string()),
    }),
  }),
});

const refreshMs = 60_000;
const missingRefreshMs = { min: 3_000, max: 10_000 };
/** The platform's configurations are read at this interval, one after another. */
const checkMs = 600;

/**
 * Returns when to ask again. The apps of a new user are read in the next seconds or minutes. The
 * page asks again after half of that time: rarely while many are missing, soon for the last ones.
 */
export function getAttentionRefreshMs(missing: number): number {
  if (missing === 0) return refreshMs;
  const { min, max } = missingRefreshMs;
  return Math.min(max, Math.max(min, (missing * checkMs) / 2));
}
