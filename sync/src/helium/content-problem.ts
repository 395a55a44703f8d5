import pg from 'pg';
import type { HeliumOutcome, HeliumWrite } from './helium-end.ts';

export type Refused = Extract<HeliumOutcome, { is: 'refused' }>;

/**
 * Classes of SQLSTATE that speak of what was to be written, whoever tries it and when: wrong data,
 * broken constraints, what the app's own triggers and checks object to, a value too long for its
 * index. Not among them: deadlocks, outages, cancelled statements, missing rights, tables that look
 * otherwise.
 */
const aboutContent = /^(09|21|22|23|27|38|39|44|54|P0)/;

export const foreignKeyViolation = '23503';

/** null when the error is not about the content. */
export function contentProblem(error: unknown): Refused | null {
  if (!(error instanceof pg.DatabaseError) || !aboutContent.test(error.code ?? '')) return null;
  const reason = error.detail ? `${error.message} (${error.detail})` : error.message;
  return { is: 'refused', kind: error.code ?? '', reason };
}

/**
 * Whether it may succeed once other rows are written: a unique key that is about to be free, a
 * parent to come.
 */
export function mayResolve({ kind }: Refused): boolean {
  return kind.startsWith('23');
}

/** PostgreSQL keeps no NUL in texts; with one in it, a statement could not even be read. */
export function nulProblem({ fields }: HeliumWrite): Refused | null {
  for (const column in fields) {
    const value = fields[column];
    if (typeof value !== 'string' || !value.includes('\0')) continue;
    return { is: 'refused', kind: '22021', reason: `The text of ${column} contains the character NUL.` };
  }
  return null;
}
