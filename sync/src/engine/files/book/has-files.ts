import { findObjectMap, type SyncContext } from '../../state/context.ts';

/** Whether records of this table have files. */
export function hasFiles(context: Pick<SyncContext, 'mapping'>, table: string): boolean {
  return findObjectMap(context, table)?.fields.some(({ kind }) => kind === 'blob') ?? false;
}
