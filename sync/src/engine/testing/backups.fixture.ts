/** Backs up and restores each side of a sync world, also while the engine keeps running. */
import { inTransaction, type PoolClient } from '@portal/kit/postgres/pool';
import {
  restoreSchemaCopy,
  type SchemaCopy,
  selectFromCopy,
  takeSchemaCopy,
} from '@portal/kit/postgres/schema-copy.fixture';
import { foreignKey, schema, tableDdl } from '../../helium/helium-gateway.fixture.ts';
import { type SyncWorld, worldTables } from './sync-world.fixture.ts';

/** Copies the app's schema and the engine's, as a dump of the database does. */
export const backUpHelium = ({ helium }: SyncWorld): Promise<SchemaCopy> =>
  inTransaction(helium.pool, async (db) => {
    await db.query('set transaction isolation level repeatable read');
    return takeSchemaCopy(db, [schema, '__portal_sync__']);
  });

const isEngineTable = (name: string) => name.startsWith('__portal_sync__.');

export const hasState = ({ tables }: SchemaCopy) => tables.some(({ name }) => isEngineTable(name));

/** Restores the app's schema only. */
export const restoreHeliumRows = (db: PoolClient, copy: SchemaCopy) =>
  restoreSchemaCopy(
    db,
    selectFromCopy(copy, (name) => !isEngineTable(name)),
  );

/** @param later SQL that runs in the same transaction, with triggers */
export const restoreHelium = (world: SyncWorld, copy: SchemaCopy, later = '') =>
  inApp(world, async (db) => {
    await restoreHeliumRows(db, copy);
    await db.query(later);
  });

export const restoreHeliumAndState = (world: SyncWorld, copy: SchemaCopy) =>
  inApp(world, (db) => restoreSchemaCopy(db, copy));

/** Drops the schema and creates it again from the backup, as `pg_restore --clean` does. */
export const recreateHelium = (world: SyncWorld, copy: SchemaCopy, later = '') =>
  inApp(world, async (db) => {
    await db.query(world.helium.ddl);
    await restoreHeliumRows(db, copy);
    await db.query(later);
  });

/** Does the same with one table only. */
export const recreateRegionTable = (world: SyncWorld, copy: SchemaCopy) =>
  inApp(world, async (db) => {
    await db.query(
      `drop table region cascade; ${tableDdl('region', worldTables.region)}; ${foreignKey('farmer', 'region_fk', 'region')}`,
    );
    await restoreSchemaCopy(
      db,
      selectFromCopy(copy, (name) => name === `${schema}.region`),
    );
  });

/** Runs a transaction with the app's schema first in the search path. */
const inApp = ({ helium }: SyncWorld, work: (db: PoolClient) => Promise<unknown>) =>
  inTransaction(helium.pool, async (db) => {
    await db.query(`set local search_path to ${schema}`);
    await work(db);
  });

/**
 * Copies both sides, the engine's state and what it has published. Returns a function that stops
 * all runs and brings everything back.
 */
export async function backUpWorld(world: SyncWorld): Promise<() => Promise<void>> {
  const [helium, journey, figures] = [await backUpHelium(world), await world.deployment.takeCopy(), world.figures()];
  return async () => {
    await world.stopRuns();
    await restoreHeliumAndState(world, helium);
    await world.deployment.restoreCopy(journey);
    world.publish(figures);
  };
}
