import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { light } from './rules.ts';

/** An item in the environment that needs attention. */
export const attentionItemSchema = z.object({
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
export type AttentionItem = z.infer<typeof attentionItemSchema>;

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
    items: z.array(attentionItemSchema),
    /** How many items there are of each kind that has some, including those that are not listed. */
    counts: z.partialRecord(attentionItemSchema.shape.kind, z.number()),
    problems: z.array(z.string()),
    /** Configurations and function results of the caller's apps. */
    checks: z.object({
      /** How many were never read. */
      missing: z.number(),
      /** How many were last read longer ago than is promised; they are being read again. */
      outdated: z._default(z.number(), 0),
      /** ISO instant of the oldest; null if none was read. */
      oldest: z.nullable(z.string()),
    }),
  }),
});

/** The kinds that the list of apps shows as the state of an app. */
export const appStateSchema = z.enum(['disabled-app', 'locked-app', 'failing-function', 'halted-sync']);
export type AppState = z.infer<typeof appStateSchema>;

/** Portal extension: the states of the caller's apps, as far as the background has read them. */
export const getAppStates = endpoint({
  method: 'GET',
  path: '/portal-backend/api/apps/states',
  summary: 'List the apps that are disabled, locked, failing or no longer synced',
  may: 'apps.view',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: z.object({
    /** Only apps that have at least one of these states. */
    apps: z.array(z.object({ appId: z.string(), states: z.array(appStateSchema) })),
    problems: z.array(z.string()),
    /** How many checks of apps are missing or outdated. */
    pending: z.number(),
  }),
});

/**
 * Portal extension: the names of the scheduled functions that have run in the caller's apps, to
 * find an app by them. The background has read them with their results.
 */
export const getFunctionNames = endpoint({
  method: 'GET',
  path: '/portal-backend/api/apps/functions',
  summary: 'List the names of the scheduled functions of all apps',
  may: 'functions.view',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: z.array(
    z.object({
      appId: z.string(),
      /** 'unit:event' */
      names: z.array(z.string()),
    }),
  ),
});

const refreshMs = 60_000;
const pendingRefreshMs = { min: 3_000, max: 10_000 };
/** The platform's configurations are read at this interval, one after another. */
const checkMs = 600;

/**
 * Returns how old the checks of this many apps are at most while a page shows them: about a minute
 * for ten apps, and five minutes for 400.
 */
export function getPromisedAgeMs(apps: number): number {
  return refreshMs + apps * checkMs;
}

/**
 * Returns when to ask again, while this many checks are missing or outdated. They are made in the
 * next seconds or minutes. The page asks again after half of that time: rarely while many are
 * pending, soon for the last ones.
 */
export function getAttentionRefreshMs(pending: number): number {
  if (pending === 0) return refreshMs;
  const { min, max } = pendingRefreshMs;
  return Math.min(max, Math.max(min, (pending * checkMs) / 2));
}
