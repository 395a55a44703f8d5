import type { Pool } from '@portal/kit/postgres/pool';
import { readBlob, readFileParts } from './blob-columns.ts';
import { findPoint, findVersionProblem, readOwnPoint } from './change-log-point.ts';
import { describeRowLocks } from './describe-row-locks.ts';
import { findUntouched } from './find-untouched.ts';
import type { Db, HeliumGateway } from './helium-gateway.ts';
import { createCatalogReader } from './read-catalog.ts';
import { findChanged, readChangeLog, readHead } from './read-change-log.ts';
import { lockRows, readRows, readRowsAfter } from './read-rows.ts';
import { readDeletionTimes, readTransactionTimes } from './read-transaction-times.ts';
import { readWholeRows } from './read-whole-rows.ts';
import { writeRows } from './write-rows.ts';

export interface HeliumGatewayParts {
  /** Connects with the rights of the app. */
  readonly pool: Pool;
  /** Sees locks and sessions of everyone. Default: the pool. */
  readonly reading?: Pool;
  readonly schema: string;
}

/** Opens the gateway to an app's schema. The caller keeps ownership of the pools. */
export function openHeliumGateway({ pool, reading = pool, schema }: HeliumGatewayParts): HeliumGateway {
  // A transaction that needs a second connection of the same pool could wait for itself.
  const withReading = (db: Db) => ({ db, reading: reading === pool ? db : reading, schema });
  return {
    schema,
    pool,
    reading,
    readCatalog: createCatalogReader({ pool, reading, schema }),
    readHead: () => readHead(pool, schema),
    findPoint: (db, point) => findPoint(db, schema, point),
    findVersionProblem: (version) => findVersionProblem(pool, schema, version),
    readOwnPoint: (db) => readOwnPoint(db, schema),
    readChangeLog: (request) => readChangeLog({ pool, reading, schema }, request),
    readRows: (db, map, ids) => readRows(db, schema, map, ids),
    lockRows: (db, map, ids) => lockRows(db, schema, map, ids),
    describeRowLocks: (db, table, ids) => describeRowLocks(withReading(db), table, ids),
    readRowsAfter: (db, map, afterId, limit) => readRowsAfter(db, schema, map, afterId, limit),
    readTransactionTimes: (db, txIds) => readTransactionTimes(db, schema, txIds),
    readDeletionTimes: (db, keys, after) => readDeletionTimes(db, schema, keys, after),
    findUntouched: (db, map, ids) => findUntouched(db, schema, map, ids),
    findChanged: (db, keys, cursor) => findChanged(db, schema, keys, cursor),
    readWholeRows: (db, table, ids) => readWholeRows(db, schema, table, ids),
    readBlob: (db, map, id, column) => readBlob(db, schema, map, id, column),
    readFileParts: (db, map, ids) => readFileParts(db, schema, map, ids),
    write: (db, objects, writes, options) => writeRows(withReading(db), objects, writes, options),
  };
}
