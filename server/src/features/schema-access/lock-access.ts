import type { Dependencies } from '../../dependencies.ts';
import type { SchemaLocation } from './access-grants.store.ts';

/**
 * Runs the work while no other node changes the access of the same schema. The lock is in the
 * portal's database: one in the data source could be held by anyone who can connect to it. Throws
 * Conflict when another change takes too long.
 */
export function lockAccess<T>(
  { locks }: Pick<Dependencies, 'locks'>,
  { environment, dataSource, schemaName }: SchemaLocation,
  work: () => Promise<T>,
): Promise<T> {
  return locks.run(`schema access ${JSON.stringify([environment, dataSource, schemaName])}`, work);
}
