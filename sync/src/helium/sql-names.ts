/**
 * Names in SQL form. Every name of an app is qualified with its schema: nothing here depends on a
 * search path.
 */
import pg from 'pg';

/** The change log. Writes go to a child table; reads through the parent include all of them. */
export const changeLog = '__he_sync_obj_change__';
/** The times of Helium's own transactions; read through the parent, too. */
export const transactionLog = '__he_sync_transaction_log__';
export const changeSequence = '__he_sync_change_seq__';

export const quote = (name: string): string => pg.escapeIdentifier(name);

export function qualified(schema: string, name: string): string {
  return `${quote(schema)}.${quote(name)}`;
}

export function columnList(names: readonly string[], prefix = ''): string {
  return names.map((name) => `${prefix}${quote(name)}`).join(', ');
}
