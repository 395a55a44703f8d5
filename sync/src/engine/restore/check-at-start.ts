/** Verifies, before a run plans anything, that neither side was restored since the last one. */

import type { Halted, RunHost } from '../../integration/run-host.ts';
import { getStateKey } from '../../integration/state-key.ts';
import { readHeliumProof, readSystemIdentifier, saveHeliumIdentity } from '../../sync-state/helium-proof.store.ts';
import type { RunRow } from '../../sync-state/runs.store.ts';
import type { SyncContext } from '../state/context.ts';
import { askAboutRestore, type ComparedRun } from './ask.ts';
import { ColumnsAdded, TablesRewritten, verifyHelium } from './notice/check-helium.ts';
import { verifyJourney } from './notice/check-journey.ts';
import { RestoreFound } from './notice/restore-found.ts';

interface Start {
  readonly run: Pick<RunHost, 'integration'>;
  readonly row: RunRow;
  /** Whether objects will be read in full. */
  readonly readsInFull: boolean;
  /** Whether an operator has just decided how to continue after a restore. */
  readonly isAnswered: boolean;
}

/** Throws RestoreFound. */
export async function verifyAtStart(context: SyncContext, { run, row, readsInFull, isAnswered }: Start): Promise<void> {
  await learnIdentity(context);
  await verifyHelium(context).catch((error: unknown) => {
    // The loops find it again before they plan anything, and compare the ids.
    if (!(error instanceof TablesRewritten || error instanceof ColumnsAdded)) throw error;
  });
  if (!isAnswered) checkPublished(context, run, row);
  // Otherwise the first page of the op-log proves it.
  if (readsInFull || row.opLogPoint?.sequence !== row.opLogCursor)
    await verifyJourney({ context, progress: { opLogPoint: row.opLogPoint } });
}

/**
 * Stores what identifies Helium's tables, when it is not known or the state was restored with them.
 */
async function learnIdentity(context: SyncContext): Promise<void> {
  const { pool, schema } = context.helium;
  const { identity, identityNow } = await readHeliumProof(pool, { stateId: context.stateId, schema }, null);
  const system = await readSystemIdentifier(pool);
  const isSameServer = identity?.system == null || system === null || identity.system === system;
  if (identity?.state !== identityNow.state || !isSameServer) await saveIdentity(context, 'all');
}

/** @param learns `all` tables as they are now, or only the `new` ones */
export async function saveIdentity(context: SyncContext, learns: 'all' | 'new'): Promise<void> {
  const { stateId, fence, helium, mapping } = context;
  const tables = mapping.objects.map(({ table }) => table);
  await saveHeliumIdentity(helium.pool, { stateId, fence, schema: helium.schema }, { tables, learns });
}

/**
 * When the state was restored together with the rows, Journey's op-log brings back what Journey
 * has. Where it is not read, Journey has records that Helium lacks, and the state does not know it.
 */
function checkPublished({ mapping }: SyncContext, { integration }: Start['run'], row: RunRow): void {
  const { stateKey, changeLogVersion } = integration.figures;
  const tables = mapping.objects.filter(({ toJourney, toHelium }) => toJourney && !toHelium).map(({ table }) => table);
  const isFirstRead = row.mapping === null || row.toJourney !== null;
  if (tables.length === 0 || isFirstRead || stateKey !== getStateKey(integration)) return;
  if (BigInt(row.changeLogCursor) >= BigInt(changeLogVersion)) return;
  throw new RestoreFound(
    `Helium's database was restored, together with the integration's state: the state is at entry ${row.changeLogCursor} of the change log, and entry ${changeLogVersion} was already sent to Journey.`,
    { side: 'helium', asOf: null, tables },
  );
}

/** Asks what to do. The answer then covers Helium's tables as they are now. */
export async function askAndLearn(compared: ComparedRun, found: RestoreFound): Promise<Halted> {
  const halted = await askAboutRestore(compared, found);
  await saveIdentity(compared.context, 'all');
  return halted;
}
