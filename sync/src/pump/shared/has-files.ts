import { findObjectMap, type SyncContext } from '../context/sync-context.ts';

/** Whether records of this table have files. */
export function hasFiles(context: Pick<SyncContext, 'mapping'>, table: string): boolean {
  return findObjectMap(context, table)?.fields.some(({ kind }) => kind === 'blob') ?? false;
}
