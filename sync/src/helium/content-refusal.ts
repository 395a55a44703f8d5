import { isTemporary } from '@portal/kit/postgres/pool';
import pg from 'pg';
import { isContention, isServerFault } from './database-failures.ts';
import type { HeliumOutcome, HeliumWrite } from './helium-gateway.ts';

export type Refusal = Extract<HeliumOutcome, { status: 'refused' }>;

export const notNullViolation = '23502';
export const foreignKeyViolation = '23503';
export const uniqueViolation = '23505';
export const checkViolation = '23514';

/**
 * Whether PostgreSQL refused the statement in words. Its code does not show why: the app's triggers
 * raise any, also those of outages. See `probeStatement`.
 */
export function isContentError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError;
}

/** Converts a database error to a refusal; returns null for any other error. */
export function toContentRefusal(error: unknown): Refusal | null {
  return isContentError(error) ? toRefusal(error) : null;
}

/** Without PostgreSQL's details: they contain whole rows. */
export function toRefusal(error: pg.DatabaseError): Refusal {
  const refusal: Refusal = { status: 'refused', kind: error.code ?? '', reason: error.message };
  const willEnd = isTemporary(error) || isContention(error) || isServerFault(error);
  return willEnd ? { ...refusal, isTemporary: true } : refusal;
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
