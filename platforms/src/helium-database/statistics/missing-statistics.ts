import pg from 'pg';
import type { StatisticsServer } from './statistics-server.ts';

/**
 * Finds what is missing from a server's statistics and the statements with which an administrator
 * fixes it.
 */
export interface MissingStatistics {
  readonly kind: 'extension' | 'preload' | 'privilege' | 'track' | 'evictions' | 'version';
  readonly message: string;
  readonly remedy: string | null;
}

/**
 * Returns the first obstacle that prevents statistics entirely.
 *
 * @param name the data source's display name
 */
export function findObstacle(name: string, server: StatisticsServer): MissingStatistics | undefined {
  const { extension, isPreloaded, user } = server;
  if (!isPreloaded)
    return {
      kind: 'preload',
      message: `The server of ${name} collects no statement statistics because it does not load pg_stat_statements at startup.`,
      remedy: `shared_preload_libraries = 'pg_stat_statements'   # postgresql.conf; then restart the server`,
    };
  if (!extension)
    return {
      kind: 'extension',
      message: `The extension pg_stat_statements is not installed in ${name}.`,
      remedy: 'CREATE EXTENSION pg_stat_statements;',
    };
  if (!extension.isReadable)
    return {
      kind: 'privilege',
      message: `The user ${user} cannot use the schema of the extension pg_stat_statements in ${name}.`,
      remedy: `GRANT USAGE ON SCHEMA ${quoted(extension.schemaName)} TO ${quoted(user)};`,
    };
  return undefined;
}

/**
 * Returns everything that is missing. `dropped` is how often the server had to make room for new
 * statements; null when unknown.
 */
export function findMissing(
  name: string,
  server: StatisticsServer,
  { dropped }: { readonly dropped: number | null },
): MissingStatistics[] {
  const obstacle = findObstacle(name, server);
  if (obstacle) return [obstacle];
  return [...findUnreadable(name, server), ...findUntracked(name, server), ...findEviction(name, server, dropped)];
}

function* findUnreadable(name: string, { canReadAllStatistics, user }: StatisticsServer): Generator<MissingStatistics> {
  if (canReadAllStatistics) return;
  yield {
    kind: 'privilege',
    message: `The user ${user} sees only the statements it ran itself in ${name}.`,
    remedy: `GRANT pg_read_all_stats TO ${quoted(user)};`,
  };
}

function* findUntracked(name: string, server: StatisticsServer): Generator<MissingStatistics> {
  const { track, computesQueryIds } = server;
  if (track === 'none')
    yield {
      kind: 'track',
      message: `The server of ${name} is configured to collect no statement statistics.`,
      remedy: `ALTER SYSTEM SET pg_stat_statements.track = 'top'; SELECT pg_reload_conf();`,
    };
  if (!computesQueryIds)
    yield {
      kind: 'track',
      message: `The server of ${name} computes no query ids, so it collects no statement statistics.`,
      remedy: `ALTER SYSTEM SET compute_query_id = 'auto'; SELECT pg_reload_conf();`,
    };
}

function* findEviction(name: string, server: StatisticsServer, dropped: number | null): Generator<MissingStatistics> {
  const { extension, maxStatements } = server;
  if (dropped !== null && dropped > 0)
    yield {
      kind: 'evictions',
      message: `The server of ${name} keeps ${maxStatements} statements and had to drop the least used ones ${dropped} times.`,
      remedy: `pg_stat_statements.max = ${maxStatements * 2}   # postgresql.conf; then restart the server`,
    };
  if (extension && extension.version !== extension.latestVersion)
    yield {
      kind: 'version',
      message: `The extension pg_stat_statements in ${name} has version ${extension.version}; its server offers ${extension.latestVersion}.`,
      remedy: 'ALTER EXTENSION pg_stat_statements UPDATE;',
    };
}

/** Quotes every name, because people copy the statement. */
const quoted = pg.escapeIdentifier;
