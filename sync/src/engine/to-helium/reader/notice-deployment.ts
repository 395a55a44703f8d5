/**
 * Notices that Journey's app was deployed when devices seem to clear values. A field that was
 * removed and added again between two reads of the data model has lost its values, and neither the
 * model nor the op-log shows it: an entry has the whole object as it is now.
 */
import type { JourneyEntry } from '../../../journey/journey-gateway.ts';
import { saveRun } from '../../../sync-state/runs.store.ts';
import { withTable } from '../../missing/absences.ts';
import { findCleared } from '../../missing/cleared-in-journey.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import { type SyncContext, withLockedState } from '../../state/context.ts';
import { isSyncedToHelium } from '../writer/apply-page.ts';

/** The key of the deployment that tables count from of which no other is known. */
const firstDeployment = '';

/** Remembers the deployment of an integration that starts for the first time. */
export async function rememberDeployment(context: SyncContext): Promise<void> {
  const { journey, signal } = context;
  const { deployments } = await withLockedState(context, async (_, row) => row);
  if (firstDeployment in deployments) return;
  const at = await journey.readDeployedAt(signal);
  if (at === null) return;
  await withLockedState(context, (db) => saveRun(db, context.stateId, { deployments: { [firstDeployment]: at } }));
}

/**
 * Plans to read the tables in full of which entries clear values, if the app was deployed since
 * they were last read. Returns whether it did: then the entries must be read again.
 */
export async function noticeDeployment(active: ActiveRun, entries: readonly JourneyEntry[]): Promise<boolean> {
  const { context, progress, run, mapping } = active;
  const updates = entries.filter((entry) => entry.operation === 'update' && isSyncedToHelium(context, entry.key));
  if (updates.length === 0) return false;
  const cleared = await findCleared(context, context.helium.pool, updates);
  if (cleared.length === 0) return false;
  const at = await run.withSlot(() => context.journey.readDeployedAt(run.signal));
  if (at === null) return false;
  const tables = [...new Set(cleared.map(({ key }) => key.table))];
  const changed = await mapping.runSerialized(async () => {
    const planned = await withLockedState(context, async (db, row) => {
      const { deployments } = row;
      const changed = tables.filter((table) => (deployments[table] ?? deployments[firstDeployment] ?? at) !== at);
      if (changed.length === 0) return null;
      const toHelium = changed.reduce(withTable, row.toHelium);
      const known = { ...deployments, ...Object.fromEntries(changed.map((table) => [table, at])) };
      await saveRun(db, context.stateId, { toHelium, deployments: known });
      return { toHelium, changed };
    });
    if (planned) progress.planFullReads({ toHelium: planned.toHelium, toJourney: progress.fullReadToJourney });
    return planned?.changed ?? [];
  });
  if (changed.length === 0) return false;
  run.log('INFO', `Journey's app was deployed. ${changed.join(', ')} is read again before its fields are cleared.`);
  return true;
}
