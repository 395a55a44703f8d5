import pg from 'pg';
import type { HeliumOutcome, HeliumWrite } from './helium-gateway.ts';

export type Refusal = Extract<HeliumOutcome, { status: 'refused' }>;

/**
 * Classes of SQLSTATE that speak of what was to be written, whoever tries it and when: wrong data,
 * broken constraints, what the app's own triggers and checks object to, a value too long for its
 * index. Not among them: deadlocks, outages, cancelled statements, missing rights, tables that look
 * otherwise.
 */
const contentErrorCodes = /^(09|21|22|23|27|38|39|44|54|P0)/;

export const foreignKeyViolation = '23503';

/** null when the error is not about the content. */
export function toContentRefusal(error: unknown): Refusal | null {
  if (!(error instanceof pg.DatabaseError) || !contentErrorCodes.test(error.code ?? '')) return null;
  const reason = error.detail ? `${error.message} (${error.detail})` : error.message;
  return { status: 'refused', kind: error.code ?? '', reason };
}

/**
 * Whether it may succeed once other rows are written: a unique key that is about to be free, a
 * parent to come.
 */
export function canResolveLater({ kind }: Refusal): boolean {
  return kind.startsWith('23');
}

/** PostgreSQL keeps no NUL in texts; with one in it, a statement could not even be read. */
export function findNulCharacter({ fields }: HeliumWrite): Refusal | null {
  for (const column in fields) {
    const value = fields[column];
    if (typeof value !== 'string' || !value.includes('\0')) continue;
    return { status: 'refused', kind: '22021', reason: `The text of ${column} contains the character NUL.` };
  }
  return null;
}
