import { explainUnusableAddress } from '@portal/kit/postgres/address-problem';
import { isPoolerOutage } from '@portal/kit/postgres/pooler-refusal';
import { Problem, Unreachable } from '@portal/kit/problems';
import pg from 'pg';
import { describeConnectionFailure, getConnectionErrorCode, isNotConnected } from '../connection-failure.ts';

/**
 * Whether there is no connection, or it was lost or timed out; the driver has no error class for
 * them.
 */
export function isConnectionLost(problem: unknown): boolean {
  if (!(problem instanceof Error) || problem instanceof Problem) return false;
  if (explainUnusableAddress(problem) !== undefined) return true;
  if (problem instanceof pg.DatabaseError)
    return /^(57P|08(?!P01)|28|53300)/.test(problem.code ?? '') || isPoolerOutage(problem);
  return (
    /^E(?!RR_)/.test(getConnectionErrorCode(problem)) ||
    /terminated|timeout|not queryable|closed/i.test(problem.message)
  );
}

/**
 * Whether the server gave no answer at all, as opposed to a late, a lost, or a negative one.
 * Waiting for a free connection in the pool says nothing about the server.
 */
export function isNoAnswer(problem: unknown): boolean {
  if (problem instanceof pg.DatabaseError || !(problem instanceof Error)) return false;
  return (
    isNotConnected(problem) ||
    /^(Query read timeout|timeout expired|Connection terminated due to connection timeout)$/.test(problem.message)
  );
}

/** Returns an Unreachable whose message names the data source and the reason. */
export function toUnreachable(name: string, problem: unknown): Unreachable {
  const reason = explainUnusableAddress(problem);
  if (reason !== undefined) return new Unreachable(`The data source ${name} ${reason}.`, { cause: problem });
  const code = getConnectionErrorCode(problem);
  const message = problem instanceof Error ? problem.message : String(problem);
  if (isPoolerOutage(problem))
    return new Unreachable(`The data source ${name} cannot be reached by its pooler: ${message}.`, { cause: problem });
  // Only the driver has no codes; a server's message may contain the name of a setting.
  const timedOut =
    code === '57014' || code === 'ETIMEDOUT' || (!(problem instanceof pg.DatabaseError) && /timeout/i.test(message));
  const text = timedOut ? 'did not respond in time' : describeReason(code, message, problem);
  return new Unreachable(`The data source ${name} ${text}.`, { cause: problem, timedOut });
}

function describeReason(code: string, message: string, problem: unknown): string {
  if (code.startsWith('28')) return 'rejects the configured user or password';
  if (
    code.startsWith('57P') ||
    code.startsWith('08') ||
    /terminated|not queryable|closed|ECONNRESET|EPIPE/.test(message)
  ) {
    return 'closed the connection';
  }
  // Only PostgreSQL's own words are safe to repeat.
  return (
    reasons[code] ??
    (problem instanceof pg.DatabaseError
      ? `reported an error: ${message}`
      : `cannot be reached: ${describeConnectionFailure(problem)}`)
  );
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'cannot be reached: connection refused',
  ENOTFOUND: 'cannot be reached: unknown host name',
  EAI_AGAIN: 'cannot be reached: the host name could not be resolved',
  EHOSTUNREACH: 'cannot be reached: no route to the host',
  '3D000': 'has no database of the configured name',
  '3F000': 'has no such schema',
  '42P01': 'has no such schema, or no such table in it',
  '42501': 'does not allow the configured user to read this',
  '53300': 'has no free connections',
};
