import { type Fields, getValue } from '../../../record/fields.ts';
import type { RecordKey } from '../../../record/record-key.ts';
import { findObjectMap, type SyncContext } from '../../state/context.ts';

/** Whether records of this table have files. */
export function hasFiles(context: Pick<SyncContext, 'mapping'>, table: string): boolean {
  return findObjectMap(context, table)?.fields.some(({ kind }) => kind === 'blob') ?? false;
}

/** Whether a record has a file now. */
export function hasBlob(context: SyncContext, { table }: RecordKey, fields: Fields): boolean {
  for (const { column, kind } of findObjectMap(context, table)?.fields ?? []) {
    if (kind === 'blob' && getValue(fields, column) !== null) return true;
  }
  return false;
}
