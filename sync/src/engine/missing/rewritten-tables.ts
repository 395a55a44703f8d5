/**
 * Finds known records whose rows are gone from Helium although no change log names them, without
 * reading either side in full: after TRUNCATE, and when rows have got other ids.
 */
import { requireVisible } from '../../helium/require-visible.ts';
import { clearAbsences, collectUnloggedAbsences, forgetAbsentRows } from '../../sync-state/absences.store.ts';
import { saveTableFile } from '../../sync-state/helium-proof.store.ts';
import { requestComparison } from '../../sync-state/operations.store.ts';
import type { TablesRewritten } from '../restore/notice/check-helium.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { findObjectMap, withLockedState } from '../state/context.ts';
import { settleAbsences } from './absences.ts';

/**
 * Compares the known ids of rewritten tables with their rows. Throws HaltError, with a question,
 * when any record is gone. Until that is settled, each further check finds the tables again. Where
 * Helium's changes are not read, a comparison lists the rows that are gone.
 */
export async function settleRewritten(active: ActiveRun, { files }: TablesRewritten): Promise<void> {
  const { run } = active;
  await active.mapping.runSerialized(async () => {
    for (const [table, file] of Object.entries(files)) {
      const { context } = active;
      const { stateId, fence } = context;
      if (findObjectMap(context, table)?.toJourney) {
        const learnFile = (db: Parameters<typeof saveTableFile>[0]) =>
          saveTableFile(db, { stateId, fence }, { table, file });
        run.log('INFO', `Helium rewrote table ${table}, as TRUNCATE and VACUUM FULL do: its ids are compared.`);
        await collectMissing(active, table);
        await settleAbsences(active, { side: 'helium', table }, { absent: 'ask about any', onSettled: learnFile });
        continue;
      }
      await saveTableFile(context.helium.pool, { stateId, fence }, { table, file });
      if (!findObjectMap(context, table)?.toHelium) continue;
      run.log('INFO', `Helium rewrote table ${table}, as TRUNCATE and VACUUM FULL do: both sides are compared.`);
      await requestComparison(context.helium.pool, stateId);
      active.compare.wake();
    }
  });
}

/** Compares the known ids of tables in which a row has an id that was never created. */
export async function settleRenamed(active: ActiveRun, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    active.run.log('INFO', `Helium changed a row of ${table} under an id that it never created: its ids are compared.`);
    await collectMissing(active, table);
    await settleAbsences(active, { side: 'helium', table });
  }
}

/**
 * Has both sides compared after a row had an id for a moment, as when two rows exchange theirs: the
 * log names a row once per transaction, so it does not name all of them.
 */
export async function compareMoved(active: ActiveRun, tables: readonly string[]): Promise<void> {
  const { context, run } = active;
  run.log('INFO', `Helium changed ids within ${tables.join(', ')}: both sides are compared.`);
  await withLockedState(context, (db) => requestComparison(db, context.stateId));
  active.compare.wake();
}

/** A record whose deletion the change log names, but which is not read yet, is not missing. */
async function collectMissing({ context }: ActiveRun, table: string): Promise<void> {
  const { stateId, helium } = context;
  await withLockedState(context, async (db, { changeLogCursor }) => {
    const scope = { stateId, side: 'helium', table } as const;
    await collectUnloggedAbsences(db, scope, { schema: helium.schema, cursor: changeLogCursor });
    await requireVisible(db, helium.schema, table);
  });
}

/**
 * Forgets the known records of a table whose rows are gone without an entry of the change log, so
 * that they come back with a full read of Journey that an operator has requested.
 */
export async function forgetMissing({ context }: Pick<ActiveRun, 'context'>, table: string): Promise<void> {
  const { stateId, helium } = context;
  await withLockedState(context, async (db, { changeLogCursor }) => {
    const scope = { stateId, side: 'helium', table } as const;
    await clearAbsences(db, scope);
    await collectUnloggedAbsences(db, scope, { schema: helium.schema, cursor: changeLogCursor });
    await requireVisible(db, helium.schema, table);
    await forgetAbsentRows(db, scope);
  });
}
