/**
 * A data source as the portal reads it: other people's database, so every question is short, limited in time, and its
 * failures are told in words instead of PostgreSQL's codes.
 */
import { Unreachable } from '@portal/kit/problems';
import pg from 'pg';

export interface HeliumDatabaseOptions {
  /** What people call it, for the sentences: `helium-app-1`. */
  readonly name: string;
  readonly url: string;
  /** 4 when left out. */
  readonly maxConnections?: number;
  /** For each statement, watched by the server and by us; 10 s when left out. */
  readonly statementTimeoutMs?: number;
  /** 5 s when left out. */
  readonly connectTimeoutMs?: number;
}

export interface HeliumDatabase {
  readonly name: string;
  /** Throws `Unreachable`, which says why. */
  query<Row extends pg.QueryResultRow>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** How much longer than the server's own watch we wait for it to say that time is up. */
const GRACE_MS = 1_000;

/** Connects at the first question. Outlives restarts of the server: the next question opens a new connection. */
export function openHeliumDatabase(options: HeliumDatabaseOptions): HeliumDatabase {
  const { name, statementTimeoutMs = 10_000, connectTimeoutMs = 5_000 } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: 'portal',
    max: options.maxConnections ?? 4,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + GRACE_MS,
    keepAlive: true,
  });
  // An idle connection that breaks is replaced at the next question.
  pool.on('error', () => undefined);
  return {
    name,
    async query<Row extends pg.QueryResultRow>(sql: string, parameters: readonly unknown[] = []) {
      try {
        const { rows } = await pool.query<Row>(sql, [...parameters]);
        return rows;
      } catch (problem) {
        throw unreachable(name, problem);
      }
    },
    close: () => pool.end(),
  };
}

function unreachable(name: string, problem: unknown): Unreachable {
  const code = codeOf(problem);
  const message = problem instanceof Error ? problem.message : String(problem);
  const timedOut = code === '57014' || code === 'ETIMEDOUT' || /timeout/i.test(message);
  return new Unreachable(`The data source ${name} ${reasonOf(code, message, timedOut)}.`, { cause: problem, timedOut });
}

function reasonOf(code: string, message: string, timedOut: boolean): string {
  if (timedOut) return 'did not answer in time';
  if (code.startsWith('28')) return 'refuses the configured user or password';
  if (code.startsWith('57P') || code.startsWith('08') || /terminated|ECONNRESET|EPIPE/.test(message)) {
    return 'cut the connection';
  }
  return REASONS[code] ?? `could not answer: ${message}`;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'cannot be reached: nobody listens there',
  ENOTFOUND: 'cannot be reached: its name is unknown',
  EAI_AGAIN: 'cannot be reached: its name could not be looked up',
  EHOSTUNREACH: 'cannot be reached: there is no way to it',
  '3D000': 'has no database of the configured name',
  '3F000': 'has no such schema',
  '42P01': 'has no such schema, or no such table in it',
  '42501': 'does not let the configured user read this',
  '53300': 'has no connection left',
};

/** A host of several addresses fails with one error for each. */
function codeOf(problem: unknown): string {
  if (problem instanceof AggregateError) return codeOf(problem.errors[0]);
  return problem instanceof Error && 'code' in problem ? String(problem.code) : '';
}
