import type { Pool } from '@portal/kit/postgres/pool';
import { readAppSchemas } from '@portal/platforms/helium-database/app-schemas';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import { readTransactionOutcome } from '@portal/platforms/helium-database/schema-access/transaction-outcome';
import { listOpen, type SchemaLocation, settleAborted, settleCommitted } from './access-grants.store.ts';

/**
 * Finds out what became of grants and reverts whose end was not written down, because a server or a
 * connection broke in that moment: the data source knows whether it committed them. Those still
 * under way stay open.
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
  // One that cannot be asked keeps no other from being settled.
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
}

/** Where the server no longer remembers the transaction, the schema's owner tells. */
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
