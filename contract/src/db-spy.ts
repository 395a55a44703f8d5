import * as z from 'zod/mini';
import { appIdSchema } from './apps.ts';
import { endpoint } from './endpoint.ts';

const short = z.string().check(z.maxLength(500));
/**
 * Whose statements: those of an app (`appId`), or of a whole data source (`dataSource`); exactly
 * one of them. `environment` is the specification's; the server takes it from the session and
 * refuses others.
 */
const statsTarget = {
  environment: z.optional(short),
  appId: z.optional(appIdSchema),
  dataSource: z.optional(short),
};

/** What statements are ranked by. Times are milliseconds. */
export const metricSchema = z.enum(['mean_time', 'total_time', 'calls', 'rows', 'min_time', 'max_time', 'stddev_time']);
export type Metric = z.infer<typeof metricSchema>;

/** In the order they are offered; times are shown in seconds. */
export const metricLabels: Readonly<Record<Metric, string>> = {
  mean_time: 'Mean Time',
  total_time: 'Total Time',
  calls: 'Calls',
  rows: 'Rows retrieved or affected',
  min_time: 'Min Time',
  max_time: 'Max Time',
  stddev_time: 'Standard Deviation',
};

export const chartDefaults = { size: 5, metric: 'mean_time', order: 'descending' } as const satisfies {
  size: number;
  metric: Metric;
  order: 'ascending' | 'descending';
};

/**
 * Multiples of 5 up to the row count, and at least 5: 12 rows → 5, 10, 15, so that all can be charted.
 */
export function chartSizes(rowCount: number): number[] {
  return Array.from({ length: Math.max(1, Math.ceil(rowCount / 5)) }, (_, index) => (index + 1) * 5);
}

/**
 * `reset`: everything since the server's statistics were last reset. The others are differences
 * between snapshots.
 */
export const rangeSchema = z.enum(['reset', 'hour', 'day', 'week']);
export type StatsRange = z.infer<typeof rangeSchema>;

/**
 * One statement, its constants replaced by $1, $2, … The first eight are the specification's, in
 * its names.
 */
export const statRowSchema = z.object({
  query: z.string(),
  calls: z.number(),
  /** Milliseconds, as are the other times. */
  total_time: z.number(),
  /** null in a range: the server keeps the shortest and the longest of its whole time only. */
  min_time: z.nullable(z.number()),
  max_time: z.nullable(z.number()),
  mean_time: z.number(),
  stddev_time: z.number(),
  rows: z.number(),
  /** Tells this row from all others of its data source, and stays the same. */
  id: z.string(),
  /**
   * Characters of the whole statement where `query` was cut at `textLimit`; null where it is whole.
   */
  queryLength: z.nullable(z.number()),
  /** The role that ran it; null where that role is gone. */
  ranBy: z.nullable(z.string()),
  /**
   * Which rule made it one of the app's: run by its own role, or naming its schema. Absent for
   * whole data sources.
   */
  matched: z.optional(z.enum(['role', 'schema'])),
  /** Its part of the total time of all that were asked about, before search and limits; 0 to 1. */
  share: z.number(),
  /**
   * What only some versions of PostgreSQL keep; null where it is not kept, or cannot be said of a
   * range.
   */
  /** Milliseconds spent planning, where pg_stat_statements.track_planning is on. */
  plan_time: z.nullable(z.number()),
  /** Of the pages it needed, the part that was in memory; 0 to 1; null when it needed none. */
  cache_hit: z.nullable(z.number()),
  /** Milliseconds spent reading and writing pages, where track_io_timing is on. */
  io_time: z.nullable(z.number()),
  /** Bytes written to temporary files. */
  temp_bytes: z.nullable(z.number()),
  /** Bytes of write-ahead log. */
  wal_bytes: z.nullable(z.number()),
});
export type StatRow = z.infer<typeof statRowSchema>;

/** Without options: every statement, whole, the slowest in total first. */
export const getStats = endpoint({
  method: 'POST',
  path: '/portal-backend/api/db-spy/stats',
  summary: 'Statement statistics of an app or of a data source',
  access: 'session',
  request: z.object({
    ...statsTarget,
    range: z.optional(rangeSchema),
    /** Words that the whole statement must contain, in any case and order. */
    search: z.optional(short),
    minCalls: z.optional(z.int().check(z.gte(0))),
    /** Longer statements are cut to so many characters; `getStatement` answers them whole. */
    textLimit: z.optional(z.int().check(z.gte(20), z.lte(1_000_000))),
    /** The portal's own statements too. */
    withOwn: z.optional(z.boolean()),
  }),
  response: z.array(statRowSchema),
});

/** Something that is missing, and what an administrator would run to mend it. */
const missingSchema = z.object({
  kind: z.enum(['extension', 'preload', 'privilege', 'track', 'evictions', 'version']),
  message: z.string(),
  /** SQL or a setting; null where there is nothing to run. */
  remedy: z.nullable(z.string()),
});

/** Ours: what the statistics are of, and what is missing from them. Quick: reads no statements. */
export const getStatsContext = endpoint({
  method: 'POST',
  path: '/portal-backend/api/db-spy/context',
  summary: 'What the statistics of an app or a data source cover, and what is missing',
  access: 'session',
  request: z.object({ ...statsTarget, range: z.optional(rangeSchema) }),
  response: z.object({
    dataSource: z.string(),
    hostname: z.string(),
    dbName: z.string(),
    /** '18.4' */
    serverVersion: z.string(),
    /** null where the extension is not installed. */
    extensionVersion: z.nullable(z.string()),
    /**
     * For an app: the role and the schema its statements are told by. `role` is null where it is
     * not known.
     */
    rule: z.nullable(z.object({ role: z.nullable(z.string()), schemaName: z.string() })),
    /** ISO instant; null where nobody knows. */
    lastReset: z.nullable(z.string()),
    /**
     * Of the range that was asked for: from when it really counts (null: since the reset), and why,
     * in sentences.
     */
    range: z.object({ from: z.nullable(z.string()), notes: z.array(z.string()) }),
    /** Which of the optional columns this server keeps. */
    columns: z.array(z.enum(['plan_time', 'cache_hit', 'io_time', 'temp_bytes', 'wal_bytes'])),
    missing: z.array(missingSchema),
    /** Why no plan can be shown here; null when it can. */
    explainRefusal: z.nullable(z.string()),
  }),
});
export type StatsContext = z.infer<typeof getStatsContext.response>;
export type Missing = z.infer<typeof missingSchema>;

/** Ours: one statement whole. `id` is a row's. */
export const getStatement = endpoint({
  method: 'POST',
  path: '/portal-backend/api/db-spy/statement',
  summary: 'The whole text of a statement',
  access: 'session',
  request: z.object({ ...statsTarget, id: short }),
  response: z.object({ query: z.string() }),
});

/**
 * Ours: EXPLAIN (GENERIC_PLAN) of a statement the server has in its statistics; it is never run.
 * `id` is a row's.
 */
export const explainStatement = endpoint({
  method: 'POST',
  path: '/portal-backend/api/db-spy/explain',
  summary: 'How the server would carry a statement out, without running it',
  access: 'session',
  request: z.object({ ...statsTarget, id: short }),
  response: z.object({
    /** The plan as text; null where there is none, and `reason` says why. */
    plan: z.nullable(z.string()),
    reason: z.nullable(z.string()),
  }),
});

/**
 * `lastReset`: ISO instant, or null where neither the server nor the portal knows. `problem`: why,
 * when it is away.
 */
const lastResetSchema = z.object({
  databaseHost: z.string(),
  lastReset: z.nullable(z.string()),
  problem: z.optional(z.string()),
});
export type LastReset = z.infer<typeof lastResetSchema>;

/** One entry for each database server, or the one of the data source that is named. */
export const getLastReset = endpoint({
  method: 'POST',
  path: '/portal-backend/api/db-spy/last-reset',
  summary: 'When the statistics of each database server were last reset',
  access: 'session',
  request: z.object({ environment: z.optional(short), dataSource: z.optional(short) }),
  response: z.array(lastResetSchema),
});

/**
 * Resets the statistics of a whole server, after a last snapshot of each of its data sources.
 * `hostname` stands in the query, in the body, or in both; it must be that of a configured data
 * source.
 */
export const resetStats = endpoint({
  method: 'POST',
  path: '/schema-access/api/pgStatReset',
  summary: 'Reset the statement statistics of a database server',
  access: 'session',
  request: z.object({ hostname: z.optional(short) }),
  response: lastResetSchema,
});
