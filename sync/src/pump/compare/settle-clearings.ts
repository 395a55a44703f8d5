/**
 * Decides about the values of a table that one side no longer has, once the whole table was
 * compared, by the rule that also decides about missing records.
 */
import type { Side } from '@portal/contract/sync-recovery';
import type { ObjectMap } from '../../mapping/object-map.ts';
import { mustAskAboutDeletion } from '../../record/deletion-brake.ts';
import type { AbsenceScope } from '../../sync-state/absences.store.ts';
import { addClearings, countClearings, sampleClearings, takeClearings } from '../../sync-state/clearings.store.ts';
import { requestComparison } from '../../sync-state/operations.store.ts';
import { type NewQuestion, saveQuestion } from '../../sync-state/questions.store.ts';
import type { ActiveRun } from '../context/active-run.ts';
import { HaltError } from '../context/halt-error.ts';
import { findObjectMap, withLockedState } from '../context/sync-context.ts';
import type { Difference } from './find-differences.ts';
import { repairRecords } from './repair-records.ts';

const sampleSize = 100;
const sideNames: Readonly<Record<Side, string>> = { helium: 'Helium', journey: 'Journey' };

export async function collectClearings(
  { context }: ActiveRun,
  { table }: ObjectMap,
  differences: readonly Difference[],
): Promise<void> {
  const { stateId } = context;
  const cleared = differences.flatMap(({ key, cleared }) => cleared.map((one) => ({ ...one, id: key.id })));
  if (cleared.length === 0) return;
  await withLockedState(context, async (db) => {
    for (const side of ['helium', 'journey'] as const)
      await addClearings(
        db,
        { stateId, side, table },
        cleared.filter((one) => one.side === side),
      );
  });
}

/**
 * Has few values cleared on the other side, and returns the number of their records. Throws
 * HaltError once an operator has to be asked.
 */
export async function settleClearings(active: ActiveRun, side: Side, table: string): Promise<number> {
  const { context } = active;
  const scope = { stateId: context.stateId, side, table };
  const map = findObjectMap(context, table);
  const { ids, question } = await withLockedState(context, async (db, row) => {
    const columns = await countClearings(db, scope);
    // A full read, planned since then, merges these records itself.
    const isReadInFull = (map?.toHelium && row.toHelium) || (map?.toJourney && row.toJourney);
    if (!map || columns.length === 0 || isReadInFull) {
      await takeClearings(db, scope);
      return { ids: [], question: null };
    }
    const { maxDeletedPercent } = context;
    if (!columns.some((one) => mustAskAboutDeletion({ ...one, maxDeletedPercent })))
      return { ids: await takeClearings(db, scope), question: null };
    const sample = await sampleClearings(db, scope, sampleSize);
    const question = describeClearings({ scope, map }, { columns, ...sample });
    await saveQuestion(db, context, question);
    // It starts again once the question is answered.
    await requestComparison(db, context.stateId);
    return { ids: [], question };
  });
  if (question) throw new HaltError(question.reason);
  const keys = ids.map((id) => ({ table, id }));
  if (keys.length > 0) await repairRecords(active, { keys, refreshed: side === 'journey' ? keys : [] });
  return keys.length;
}

function describeClearings(
  { scope: { side, table }, map }: { readonly scope: AbsenceScope; readonly map: ObjectMap },
  counts: Pick<NewQuestion & { kind: 'clearings' }, 'columns' | 'records' | 'sample'>,
): NewQuestion & { kind: 'clearings' } {
  const other = side === 'helium' ? 'journey' : 'helium';
  const count = (number: number) => number.toLocaleString('en');
  const values = counts.columns
    .map(({ column, absent, known }) => `${count(absent)} of the ${count(known)} values of ${table}.${column}`)
    .join(', ');
  return {
    kind: 'clearings',
    side: other,
    table,
    reason:
      `${sideNames[side]} no longer has ${values} that both sides had, and no log names the change. ` +
      `Nothing was cleared in ${sideNames[other]}. Decide whether to clear them there or to restore them in ${sideNames[side]}.`,
    isSyncedBack: side === 'helium' ? map.toHelium : map.toJourney,
    ...counts,
  };
}
