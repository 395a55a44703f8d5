import type { HeliumDatabase } from '../database.ts';

/**
 * Describes the statement statistics of a server. The *extension's* version determines its columns;
 * it may be older than the server.
 */
export interface StatisticsServer {
  /** Such as '18.4'. */
  readonly version: string;
  /** Such as 180004. */
  readonly versionNumber: number;
  readonly user: string;
  /** Null when it is not installed in this database. */
  readonly extension: StatisticsExtension | null;
  /**
   * Whether the server loads the extension's library at startup, without which it collects nothing.
   */
  readonly isPreloaded: boolean;
  /** `none`, `top`, `all`. */
  readonly track: string;
  readonly tracksPlanning: boolean;
  readonly tracksIoTiming: boolean;
  /** Without query ids the server collects no statement statistics. */
  readonly computesQueryIds: boolean;
  /** The maximum number of statements the server keeps. */
  readonly maxStatements: number;
  /** Whether the user can see the statements of other users. */
  readonly canReadAllStatistics: boolean;
  readonly startedAt: Date;
}

export interface StatisticsExtension {
  /** Such as '1.12'. */
  readonly version: string;
  /** The version to which the server would update it. */
  readonly latestVersion: string;
  readonly schemaName: string;
  readonly isReadable: boolean;
  readonly columns: ReadonlySet<string>;
  /** Whether it records resets and the number of dropped statements: version 1.9 and later. */
  readonly hasInfo: boolean;
}

interface Row {
  readonly version: string;
  readonly versionNumber: number;
  readonly user: string;
  readonly extensionVersion: string | null;
  readonly latestVersion: string | null;
  readonly schemaName: string | null;
  readonly isReadable: boolean | null;
  readonly columns: string[] | null;
  readonly hasInfo: boolean;
  readonly isPreloaded: boolean;
  readonly track: string | null;
  readonly tracksPlanning: boolean | null;
  readonly tracksIoTiming: boolean;
  readonly computesQueryIds: boolean;
  readonly maxStatements: number | null;
  readonly canReadAllStatistics: boolean;
  readonly startedAt: Date;
}

/** Reads everything with one quick query that needs no privilege. */
export async function readStatisticsServer(database: HeliumDatabase): Promise<StatisticsServer> {
  const [row] = await database.query<Row & Record<string, unknown>>(`
    select split_part(current_setting('server_version'), ' ', 1) as version,
      current_setting('server_version_num')::int as "versionNumber", current_user as "user",
      e.extversion as "extensionVersion", a.default_version as "latestVersion", n.nspname as "schemaName",
      has_schema_privilege(n.oid, 'usage') as "isReadable", f.columns, f."hasInfo",
      -- Only a loaded library defines its settings; one that is only configured is not listed.
      exists (select from pg_settings where name = 'pg_stat_statements.max') as "isPreloaded",
      current_setting('pg_stat_statements.track', true) as track,
      current_setting('pg_stat_statements.track_planning', true)::bool as "tracksPlanning",
      current_setting('track_io_timing')::bool as "tracksIoTiming",
      coalesce(current_setting('compute_query_id', true), 'auto') <> 'off' as "computesQueryIds",
      current_setting('pg_stat_statements.max', true)::int as "maxStatements",
      pg_has_role(current_user, 'pg_read_all_stats', 'usage') as "canReadAllStatistics",
      pg_postmaster_start_time() as "startedAt"
    from (select) one
    left join pg_extension e on e.extname = 'pg_stat_statements'
    left join pg_namespace n on n.oid = e.extnamespace
    left join pg_available_extensions a on a.name = e.extname
    cross join lateral (
      select array_agg(t.attname::text) filter (where c.relname = 'pg_stat_statements' and t.attnum > 0) as columns,
        coalesce(bool_or(c.relname = 'pg_stat_statements_info'), false) as "hasInfo"
      from pg_depend d
      join pg_class c on d.classid = 'pg_class'::regclass and c.oid = d.objid
      join pg_attribute t on t.attrelid = c.oid
      where d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid and d.deptype = 'e'
    ) f`);
  if (!row) throw new Error('a query without a table returned no row');
  return {
    ...row,
    extension: toExtension(row),
    track: row.track ?? 'none',
    tracksPlanning: row.tracksPlanning ?? false,
    maxStatements: row.maxStatements ?? 0,
  };
}

function toExtension({ extensionVersion, latestVersion, schemaName, isReadable, columns, hasInfo }: Row) {
  if (extensionVersion === null || schemaName === null) return null;
  return {
    version: extensionVersion,
    latestVersion: latestVersion ?? extensionVersion,
    schemaName,
    isReadable: isReadable ?? false,
    columns: new Set(columns),
    hasInfo,
  };
}
