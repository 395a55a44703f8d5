import type { HeliumDatabase } from '../database.ts';

/**
 * What a server can say of statements. The *extension's* version decides its columns: it may be
 * older than the server.
 */
export interface StatisticsServer {
  /** '18.4' */
  readonly version: string;
  /** 180004 */
  readonly versionNumber: number;
  readonly user: string;
  /** null where it is not installed in this database. */
  readonly extension: StatisticsExtension | null;
  /**
   * Whether the server loads the extension's library at its start, without which it counts nothing.
   */
  readonly isPreloaded: boolean;
  /** `none`, `top`, `all`. */
  readonly track: string;
  readonly tracksPlanning: boolean;
  readonly tracksIoTiming: boolean;
  /** False where the server numbers no statements, and so counts none. */
  readonly numbersStatements: boolean;
  /** How many statements it keeps. */
  readonly most: number;
  /** Whether the user sees what others ran. */
  readonly readsAll: boolean;
  readonly startedAt: Date;
}

export interface StatisticsExtension {
  /** '1.12' */
  readonly version: string;
  /** What the server would update it to. */
  readonly latestVersion: string;
  readonly schemaName: string;
  readonly isReadable: boolean;
  readonly columns: ReadonlySet<string>;
  /** Whether it keeps when it was reset, and how often it had to drop statements: 1.9 and later. */
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
  readonly numbersStatements: boolean;
  readonly most: number | null;
  readonly readsAll: boolean;
  readonly startedAt: Date;
}

/** One quick question that needs no privilege. */
export async function readStatisticsServer(database: HeliumDatabase): Promise<StatisticsServer> {
  const [row] = await database.query<Row & Record<string, unknown>>(`
    select split_part(current_setting('server_version'), ' ', 1) as version,
      current_setting('server_version_num')::int as "versionNumber", current_user as "user",
      e.extversion as "extensionVersion", a.default_version as "latestVersion", n.nspname as "schemaName",
      has_schema_privilege(n.oid, 'usage') as "isReadable", f.columns, f."hasInfo",
      -- Only a loaded library defines its settings; one that is merely written into the configuration is not listed.
      exists (select from pg_settings where name = 'pg_stat_statements.max') as "isPreloaded",
      current_setting('pg_stat_statements.track', true) as track,
      current_setting('pg_stat_statements.track_planning', true)::bool as "tracksPlanning",
      current_setting('track_io_timing')::bool as "tracksIoTiming",
      coalesce(current_setting('compute_query_id', true), 'auto') <> 'off' as "numbersStatements",
      current_setting('pg_stat_statements.max', true)::int as most,
      pg_has_role(current_user, 'pg_read_all_stats', 'usage') as "readsAll",
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
  if (!row) throw new Error('a question without a table was answered without a row');
  return {
    ...row,
    extension: extensionIn(row),
    track: row.track ?? 'none',
    tracksPlanning: row.tracksPlanning ?? false,
    most: row.most ?? 0,
  };
}

function extensionIn({ extensionVersion, latestVersion, schemaName, isReadable, columns, hasInfo }: Row) {
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
