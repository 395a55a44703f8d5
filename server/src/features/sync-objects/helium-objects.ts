import type { SyncObject } from '@portal/contract/sync-objects';
import { type AppObject, countRows, readAppObjects } from '@portal/platforms/helium-database/app-objects';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import { countWithin } from './count-within.ts';

/** Leaves one of the four connections per data source free for other requests. */
const concurrency = 3;
const timeoutMs = 18_000;
const statementTimeoutMs = 6_000;

const types: Readonly<Record<AppObject['kind'], string>> = {
  table: 'Table',
  view: 'View',
  'materialized view': 'Materialized View',
};

/** Throws Unreachable, or the signal's reason. */
export async function readHeliumObjects(
  database: HeliumDatabase,
  schemaName: string,
  signal: AbortSignal,
): Promise<SyncObject[]> {
  const objects = await readAppObjects(database, schemaName);
  const count = (name: string, signal: AbortSignal) =>
    countRows(database.withSignal(signal), { schemaName, name }, statementTimeoutMs);
  const names = objects.map(({ name }) => name);
  const counts = await countWithin(names, count, { concurrency, timeoutMs, signal });
  return objects.map(({ name, kind }) => ({
    platform: 'Helium',
    type: types[kind],
    objectName: name,
    objectCount: counts.get(name) ?? null,
  }));
}
