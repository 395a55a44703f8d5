import type { Pool } from '@portal/kit/postgres/pool';
import { readAppSchemas } from '@portal/platforms/helium-database/app-schemas';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import { readTransactionOutcome } from '@portal/platforms/helium-database/schema-access/transaction-outcome';
import { listOpen, type SchemaLocation, settleAborted, settleCommitted } from './access-grants.store.ts';

/**
 * Settles grants and reverts whose outcome was not recorded because a server or connection failed.
 * The data source knows whether it committed them; those still running stay open.
 */
export async function settleOpen(
  pool: Pool,
  where: Pick<SchemaLocation, 'environment'> & Partial<SchemaLocation>,
  findDatabase: (dataSource: string) => HeliumDatabase | undefined,
): Promise<void> {
  const open = await listOpen(pool, where);
  const settled = await Promise.allSettled(
    open.map(async (grant) => {
      const database = findDatabase(grant.dataSource);
      if (!database) return;
      const outcome = await readOutcome(database, grant);
      if (outcome === 'committed') await settleCommitted(pool, grant);
      if (outcome === 'aborted') await settleAborted(pool, grant);
    }),
  );
  // An unreachable data source does not prevent the others from being settled.
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
}

/** Uses the schema's owner if the server no longer knows the transaction. */
async function readOutcome(
  database: HeliumDatabase,
  { xid, schemaName, team, state }: Awaited<ReturnType<typeof listOpen>>[number],
) {
  const outcome = xid === null ? 'unknown' : await readTransactionOutcome(database, xid);
  if (outcome !== 'unknown') return outcome;
  const schemas = await readAppSchemas(database);
  const isOwnedByTeam = schemas.some((schema) => schema.schemaName === schemaName && schema.owner === team);
  return isOwnedByTeam === (state === 'running') ? 'committed' : 'aborted';
}
