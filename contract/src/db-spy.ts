import * as z from 'zod/mini';
import { appIdSchema } from './apps.ts';
import { distinct } from './distinct.ts';
import { endpoint } from './endpoint.ts';
import { bulk, heavy, light } from './rules.ts';

const shortText = z.string().check(z.maxLength(500));
/**
 * Selects the statements of an app (`appId`) or of a whole data source (`dataSource`); exactly one
 * of the two is required. The specification defines `environment`; the server takes it from the
 * session and rejects any other value.
 */
const statsTarget = {
  environment: z.optional(shortText),
  appId: z.optional(appIdSchema),
  dataSource: z.optional(shortText),
};

/** The metrics that statements can be ranked by. Times are in milliseconds. */
export const metricSchema = z.enum(['mean_time', 'total_time', 'calls', 'rows', 'min_time', 'max_time', 'stddev_time']);
export type Metric = z.infer<typeof metricSchema>;

/** In the order of the chooser. The page shows times in seconds. */
export const metricLabels: Readonly<Record<Metric, string>> = {
  mean_time: 'Mean Time',
  total_time: 'Total Time',
  calls: 'Calls',
  rows: 'Rows retrieved or affected',
  min_time: 'Min Time',
  max_time: 'Max Time',
  stddev_time: 'Standard Deviation',
};

/**
 * Metrics whose sum over several statements is meaningful. Means, extremes and deviations are not
 * additive.
 */
const additiveMetrics: ReadonlySet<Metric> = new Set(['total_time', 'calls', 'rows']);

export function isAdditive(metric: Metric): boolean {
  return additiveMetrics.has(metric);
}

export const orderSchema = z.enum(['ascending', 'descending']);
export type Order = z.infer<typeof orderSchema>;

export const chartDefaults = { size: 5, metric: 'mean_time', order: 'descending' } as const satisfies {
  size: number;
  metric: Metric;
  order: Order;
};

/**
 * Returns the multiples of 5 up to the first one that covers `rowCount`, at least 5: 12 rows → 5,
 * 10, 15.
 */
export function chartSizes(rowCount: number): number[] {
  return Array.from({ length: Math.max(1, Math.ceil(rowCount / 5)) }, (_, index) => (index + 1) * 5);
}

/**
 * `reset`: everything since the last reset of the server's statistics. The others are differences
 * between snapshots.
 */
export const rangeSchema = z.enum(['reset', 'hour', 'day', 'week']);
export type StatsRange = z.infer<typeof rangeSchema>;

/**
 * One statement with its constants replaced by $1, $2, … The specification names the first eight
 * fields.
 */
export const statRowSchema = z.object({
  query: z.string(),
  calls: z.number(),
  /** Milliseconds, like the other times. */
  total_time: z.number(),
  /**
   * null in a range: the server stores the minimum and maximum only since the last reset. Also null
   * if they were reset alone and the statement has not run since.
   */
  min_time: z.nullable(z.number()),
  max_time: z.nullable(z.number()),
  mean_time: z.number(),
  stddev_time: z.number(),
  rows: z.number(),
  /** Stable and unique within the data source. */
  id: z.string(),
  /**
   * Length in characters of the full statement if `query` was cut at `textLimit`; otherwise null.
   */
  queryLength: z.nullable(z.number()),
  /** The role that ran it; null if the role has been deleted. */
  ranBy: z.nullable(z.string()),
  /**
   * Why the statement belongs to the app: its role ran it, or it names its schema. Absent for whole
   * data sources.
   */
  matched: z.optional(z.enum(['role', 'schema'])),
  /**
   * Present if it ran inside another statement, such as in a function. Its time is also part of
   * that statement's.
   */
  isInner: z.optional(z.literal(true)),
  /** Present if the server has discarded the text; `query` states that. */
  hasNoText: z.optional(z.literal(true)),
  /**
   * Share of the total time of all statements in scope that ran inside no other, before search and
   * limits; 0 to 1.
   */
  share: z.number(),
  /**
   * Figures that only some PostgreSQL versions record; null if not recorded, or unknown for a
   * range.
   */
  /** Milliseconds spent planning, if pg_stat_statements.track_planning is on. */
  plan_time: z.nullable(z.number()),
  /** Fraction of the required pages that were in memory; 0 to 1; null if none were required. */
  cache_hit: z.nullable(z.number()),
  /** Milliseconds spent reading and writing pages, if track_io_timing is on. */
  io_time: z.nullable(z.number()),
  /** Bytes written to temporary files. */
  temp_bytes: z.nullable(z.number()),
  /** Bytes of write-ahead log. */
  wal_bytes: z.nullable(z.number()),
});
export type StatRow = z.infer<typeof statRowSchema>;

/**
 * Returns whether a sum of the metric over several statements already has this one in that of the
 * statement that ran it.
 */
export function isCountedElsewhere({ isInner }: Pick<StatRow, 'isInner'>, metric: Metric): boolean {
  return metric === 'total_time' && isInner === true;
}

/**
 * The last row of a data source with apps that the user cannot see: the sums of all statements but
 * those of the user's apps, whatever is searched for.
 */
export const otherApps = { id: 'other apps', query: 'Other apps' } as const;

/**
 * Without options, returns the full text of every statement, ordered by total time, highest first.
 * Literals that the data source recorded, which may be passwords, are replaced by `***`.
 */
export const getStats = endpoint({
  method: 'POST',
  path: '/portal-backend/api/db-spy/stats',
  summary: 'List the statement statistics of an app or a data source',
  may: 'statistics.view',
  about: { app: 'appId', dataSource: 'dataSource' },
  recorded: false,
  cost: bulk(),
  request: z.object({
    ...statsTarget,
    range: z.optional(rangeSchema),
    /**
     * Words that the full statement, as shown, must contain, in any order, or the name of the role
     * that ran it; case is ignored.
     */
    search: z.optional(shortText),
    minCalls: z.optional(z.int().check(z.gte(0))),
    /** Cuts longer statements to this many characters; `getStatement` returns the full text. */
    textLimit: z.optional(z.int().check(z.gte(20), z.lte(1_000_000))),
    /** Includes the portal's own statements. */
    withOwn: z.optional(z.boolean()),
  }),
  response: z.array(statRowSchema),
});

/**
 * Portal extension: returns the statements of `getStats` with the highest or lowest values of a
 * metric, best first, and what a chart needs to know about the rest. Ties are ordered by total
 * time, then id.
 */
export const getTopStats = endpoint({
  method: 'POST',
  path: '/portal-backend/api/db-spy/top-stats',
  summary: 'List the statements of an app or a data source with the highest values',
  may: 'statistics.view',
  about: { app: 'appId', dataSource: 'dataSource' },
  recorded: false,
  cost: bulk(),
  request: z.object({
    ...getStats.request.shape,
    metric: metricSchema,
    order: orderSchema,
    /** The maximum number of rows. */
    limit: z.int().check(z.gte(1), z.lte(10_000)),
  }),
  response: z.object({
    /** Only statements that have a value. */
    rows: z.array(statRowSchema),
    /** The number of all statements found, with or without a value. */
    count: z.number(),
    /**
     * The number of the other statements with a value, and the sum of their values, which contains
     * each time once; null if there are none, or the metric is not additive.
     */
    rest: z.nullable(z.object({ count: z.number(), value: z.number() })),
  }),
});
export type TopStats = z.infer<typeof getTopStats.response>;

/**
 * Portal extension: returns what happened between snapshots of the statistics. Statements that are
 * in no snapshot yet are absent.
 */
export const getStatementTrends = endpoint({
  method: 'POST',
  path: '/portal-backend/api/db-spy/trends',
  summary: 'Get how often statements ran over time, and how long they took',
  may: 'statistics.view',
  about: { app: 'appId', dataSource: 'dataSource' },
  recorded: false,
  cost: bulk(),
  request: z.object({
    ...statsTarget,
    /** The ids of rows. */
    ids: z.array(z.string().check(z.maxLength(100))).check(z.maxLength(100), distinct()),
    /** `reset` returns the last day. */
    range: z.optional(rangeSchema),
  }),
  response: z.object({
    /**
     * When the snapshots were taken, as ISO instants, oldest first. An interval is between two of
     * them, so fewer than two mean that there are no trends yet.
     */
    takenAt: z.array(z.string()),
    trends: z.array(
      z.object({
        id: z.string(),
        /** One value for each interval. */
        calls: z.array(z.number()),
        /** Milliseconds. */
        total_time: z.array(z.number()),
      }),
    ),
  }),
});
export type StatementTrends = z.infer<typeof getStatementTrends.response>;
export type StatementTrend = StatementTrends['trends'][number];

/** A missing prerequisite, and what an administrator can run to fix it. */
const missingPrerequisiteSchema = z.object({
  kind: z.enum(['extension', 'preload', 'privilege', 'track', 'evictions', 'version']),
  message: z.string(),
  /** SQL or a setting; null if there is nothing to run. */
  remedy: z.nullable(z.string()),
});

/**
 * Portal extension: describes the scope of the statistics and missing prerequisites. Fast: reads no
 * statements.
 */
export const getStatsContext = endpoint({
  method: 'POST',
  path: '/portal-backend/api/db-spy/context',
  summary: 'Describe what the statistics of an app or a data source cover, and what is missing',
  may: 'statistics.view',
  about: { app: 'appId', dataSource: 'dataSource' },
  recorded: false,
  cost: light(),
  request: z.object({ ...statsTarget, range: z.optional(rangeSchema) }),
  response: z.object({
    dataSource: z.string(),
    hostname: z.string(),
    dbName: z.string(),
    /** '18.4' */
    serverVersion: z.string(),
    /** null if the extension is not installed. */
    extensionVersion: z.nullable(z.string()),
    /**
     * For an app: the role and the schema that identify its statements. `role` is null if unknown.
     */
    rule: z.nullable(z.object({ role: z.nullable(z.string()), schemaName: z.string() })),
    /** ISO instant; null if unknown. */
    lastReset: z.nullable(z.string()),
    /**
     * The actual start of the requested range (null: the last reset), and the reasons in sentences.
     */
    range: z.object({ from: z.nullable(z.string()), notes: z.array(z.string()) }),
    /** The optional columns that this server records. */
    columns: z.array(z.enum(['plan_time', 'cache_hit', 'io_time', 'temp_bytes', 'wal_bytes'])),
    missing: z.array(missingPrerequisiteSchema),
    /** Why plans are unavailable here; null if they are available. */
    explainRefusal: z.nullable(z.string()),
  }),
});
export type StatsContext = z.infer<typeof getStatsContext.response>;
export type MissingPrerequisite = z.infer<typeof missingPrerequisiteSchema>;

/** Portal extension: returns the full text of one statement. `id` is the id of a row. */
export const getStatement = endpoint({
  method: 'POST',
  path: '/portal-backend/api/db-spy/statement',
  summary: 'Get the full text of a statement',
  may: 'statistics.view',
  about: { app: 'appId', dataSource: 'dataSource' },
  recorded: false,
  cost: light(),
  request: z.object({ ...statsTarget, id: shortText }),
  response: z.object({ query: z.string() }),
});

/**
 * Portal extension: runs EXPLAIN (GENERIC_PLAN) for a statement in the server's statistics, which
 * is not executed. `id` is the id of a row.
 */
export const explainStatement = endpoint({
  method: 'POST',
  path: '/portal-backend/api/db-spy/explain',
  summary: 'Explain a statement without running it',
  may: 'statistics.view',
  about: { app: 'appId', dataSource: 'dataSource' },
  recorded: false,
  cost: light(),
  request: z.object({ ...statsTarget, id: shortText }),
  response: z.object({
    /** The plan as text; null if there is none, with the cause in `reason`. */
    plan: z.nullable(z.string()),
    reason: z.nullable(z.string()),
    /** How the plan may differ from that of the statement as it ran; null if it does not. */
    note: z.nullable(z.string()),
  }),
});

/**
 * `lastReset`: ISO instant, or null if neither the server nor the portal knows it. `problem`: why
 * the server is unreachable.
 */
const lastResetSchema = z.object({
  databaseHost: z.string(),
  lastReset: z.nullable(z.string()),
  problem: z.optional(z.string()),
});
export type LastReset = z.infer<typeof lastResetSchema>;

/** Returns one entry for each database server, or only the entry of the given data source. */
export const getLastReset = endpoint({
  method: 'POST',
  path: '/portal-backend/api/db-spy/last-reset',
  summary: 'Get when the statistics of each database server were last reset',
  may: 'statistics.view',
  about: { dataSource: 'dataSource' },
  recorded: false,
  cost: light(),
  request: z.object({ environment: z.optional(shortText), dataSource: z.optional(shortText) }),
  response: z.array(lastResetSchema),
});

/**
 * Resets the statistics of a whole server, after a last snapshot of each of its data sources.
 * `hostname` is in the query, the body, or both, and must belong to a configured data source.
 */
export const resetStats = endpoint({
  method: 'POST',
  path: '/schema-access/api/pgStatReset/',
  summary: 'Reset the statement statistics of a database server',
  may: 'statistics.reset',
  about: { databaseHost: 'hostname' },
  recorded: { action: 'statistics.reset', description: 'Statement statistics of a server reset' },
  cost: heavy(),
  request: z.object({ hostname: z.optional(shortText) }),
  query: z.object({ hostname: z.optional(shortText) }),
  response: lastResetSchema,
});
