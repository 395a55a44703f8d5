import pg from 'pg';
import type { StatisticsServer } from './statistics-server.ts';

/** What is missing from a server's statistics, and what an administrator would run to mend it. */
export interface MissingStatistics {
  readonly kind: 'extension' | 'preload' | 'privilege' | 'track' | 'evictions' | 'version';
  readonly message: string;
  readonly remedy: string | null;
}

/**
 * Without these there are no statistics at all, the first of them first.
 *
 * @param name of the data source, as people know it
 */
export function findObstacle(name: string, server: StatisticsServer): MissingStatistics | undefined {
  const { extension, isPreloaded, user } = server;
  if (!isPreloaded)
    return {
      kind: 'preload',
      message: `The server of ${name} counts no statements: it does not load pg_stat_statements when it starts.`,
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
      message: `The user ${user} may not use the schema of the extension pg_stat_statements in ${name}.`,
      remedy: `GRANT USAGE ON SCHEMA ${quoted(extension.schemaName)} TO ${quoted(user)};`,
    };
  return undefined;
}

/**
 * All that is missing. `dropped`: how many times the server had to make room for new statements;
 * null when unknown.
 */
export function findMissing(
  name: string,
  server: StatisticsServer,
  { dropped }: { readonly dropped: number | null },
): MissingStatistics[] {
  const obstacle = findObstacle(name, server);
  if (obstacle) return [obstacle];
  return [...findUnread(name, server), ...findUncounted(name, server), ...findOutgrown(name, server, dropped)];
}

function* findUnread(name: string, { readsAll, user }: StatisticsServer): Generator<MissingStatistics> {
  if (readsAll) return;
  yield {
    kind: 'privilege',
    message: `The user ${user} sees only the statements it ran itself in ${name}.`,
    remedy: `GRANT pg_read_all_stats TO ${quoted(user)};`,
  };
}

function* findUncounted(name: string, server: StatisticsServer): Generator<MissingStatistics> {
  const { track, numbersStatements } = server;
  if (track === 'none')
    yield {
      kind: 'track',
      message: `The server of ${name} is set to count no statements.`,
      remedy: `ALTER SYSTEM SET pg_stat_statements.track = 'top'; SELECT pg_reload_conf();`,
    };
  if (!numbersStatements)
    yield {
      kind: 'track',
      message: `The server of ${name} gives statements no numbers, so it counts none.`,
      remedy: `ALTER SYSTEM SET compute_query_id = 'auto'; SELECT pg_reload_conf();`,
    };
}

function* findOutgrown(name: string, server: StatisticsServer, dropped: number | null): Generator<MissingStatistics> {
  const { extension, most } = server;
  if (dropped !== null && dropped > 0)
    yield {
      kind: 'evictions',
      message: `The server of ${name} keeps ${most} statements and had to drop the least used ones ${dropped} times.`,
      remedy: `pg_stat_statements.max = ${most * 2}   # postgresql.conf; then restart the server`,
    };
  if (extension && extension.version !== extension.latestVersion)
    yield {
      kind: 'version',
      message: `The extension pg_stat_statements in ${name} is of version ${extension.version}; its server has ${extension.latestVersion}.`,
      remedy: 'ALTER EXTENSION pg_stat_statements UPDATE;',
    };
}

/** Always in quotes, as a name is that people copy. */
const quoted = pg.escapeIdentifier;
