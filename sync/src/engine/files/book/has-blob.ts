import { type Fields, getValue } from '../../../record/fields.ts';
import type { RecordKey } from '../../../record/record-key.ts';
import { findObjectMap, type SyncContext } from '../../state/context.ts';

export function hasBlob(context: SyncContext, { table }: RecordKey, fields: Fields): boolean {
  for (const { column, kind } of findObjectMap(context, table)?.fields ?? []) {
    if (kind === 'blob' && getValue(fields, column) !== null) return true;
  }
  return false;
}
