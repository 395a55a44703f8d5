/**
 * Names as SQL writes them. Everything of an app is named with its schema: nothing here depends on
 * a search path.
 */
import pg from 'pg';

/** The change log; what is written goes into a child of it, so all of it is read from here. */
export const changeLog = '__he_sync_obj_change__';
export const changeSequence = '__he_sync_change_seq__';

export const quote = (name: string): string => pg.escapeIdentifier(name);

export function qualified(schema: string, name: string): string {
  return `${quote(schema)}.${quote(name)}`;
}

export function columnList(names: readonly string[], prefix = ''): string {
  return names.map((name) => `${prefix}${quote(name)}`).join(', ');
}
