import type { SyncObject } from '@portal/contract/sync/objects';
import {
  type AppObject,
  type CountedObject,
  countRows,
  readAppObjects,
} from '@portal/platforms/helium-database/app-objects';
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

/** Views have no count. Throws Unreachable, or the signal's reason. */
export async function readHeliumObjects(
  database: HeliumDatabase,
  schemaName: string,
  signal: AbortSignal,
): Promise<SyncObject[]> {
  const objects = await readAppObjects(database, schemaName);
  const counts = await countWithin(
    objects.filter(isCounted),
    (object, signal) => countRows(database.withSignal(signal), { ...object, schemaName }, statementTimeoutMs),
    { concurrency, timeoutMs, signal },
  );
  return objects.map((object) => ({
    platform: 'Helium',
    type: types[object.kind],
    objectName: object.name,
    objectCount: isCounted(object) ? (counts.get(object) ?? null) : null,
  }));
}

function isCounted(object: AppObject): object is CountedObject {
  return object.kind !== 'view';
}
