import { Problem, Unreachable } from '@portal/kit/problems';
import pg from 'pg';

/**
 * A connection that went away, or said nothing for too long; the driver has no class for either.
 */
export function isLost(problem: unknown): boolean {
  if (!(problem instanceof Error) || problem instanceof Problem) return false;
  if (problem instanceof pg.DatabaseError) return /^(57P|08)/.test(problem.code ?? '');
  return /^E(?!RR_)/.test(codeOf(problem)) || /terminated|timeout|not queryable|closed/i.test(problem.message);
}

/** In words, with the reason: why a data source could not answer. */
export function unreachable(name: string, problem: unknown): Unreachable {
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
  return reasons[code] ?? `could not answer: ${message}`;
}

const reasons: Readonly<Record<string, string>> = {
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
