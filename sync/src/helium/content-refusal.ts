import pg from 'pg';
import type { HeliumOutcome, HeliumWrite } from './helium-gateway.ts';

export type Refusal = Extract<HeliumOutcome, { status: 'refused' }>;

/**
 * SQLSTATE classes that are caused by the written content, regardless of who writes it and when:
 * invalid data, violated constraints, errors raised by the app's own triggers and checks, a value
 * too long for its index. Deadlocks, outages, canceled statements, missing permissions and changed
 * tables are not among them.
 */
const contentErrorCodes = /^(09|21|22|23|27|38|39|44|54|P0)/;

export const notNullViolation = '23502';
export const foreignKeyViolation = '23503';
export const uniqueViolation = '23505';
export const checkViolation = '23514';

/** Whether the content that was written caused the error. */
export function isContentError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && contentErrorCodes.test(error.code ?? '');
}

/**
 * Converts a database error to a refusal, or returns null when the content did not cause it.
 * Without PostgreSQL's details: they contain whole rows.
 */
export function toContentRefusal(error: unknown): Refusal | null {
  if (!isContentError(error)) return null;
  return { status: 'refused', kind: error.code ?? '', reason: error.message };
}

/**
 * Returns whether the write may succeed after other rows are written: a unique key is freed, or a
 * parent is inserted.
 */
export function canResolveLater({ kind }: Refusal): boolean {
  return kind.startsWith('23');
}

/**
 * Refuses texts with a NUL character. PostgreSQL cannot store NUL and would reject the whole
 * statement.
 */
export function findNulCharacter({ fields }: HeliumWrite): Refusal | null {
  for (const column in fields) {
    const value = fields[column];
    if (typeof value !== 'string' || !value.includes('\0')) continue;
    return { status: 'refused', kind: '22021', reason: `The text of ${column} contains a NUL character.` };
  }
  return null;
}
