/**
 * Decides about the values of a table that one side no longer has, once the whole table was
 * compared or read in full, by the rule that also decides about missing records.
 *
 *   collected ─▶ few: cleared on the other side, and listed
 *           └──▶ many, all, or any without proof: an operator is asked
 */
import type { Side } from '@portal/contract/sync/recovery';
import type { Db } from '../../helium/helium-gateway.ts';
import type { ObjectMap } from '../../mapping/object-map.ts';
import { mustAskAboutDeletion } from '../../record/deletion-brake.ts';
import type { AbsenceScope } from '../../sync-state/absences.store.ts';
import {
  addClearings,
  type ClearedValue,
  countClearings,
  sampleClearings,
  takeClearings,
} from '../../sync-state/clearings.store.ts';
import { requestComparison } from '../../sync-state/operations.store.ts';
import { type NewQuestion, saveQuestion } from '../../sync-state/questions.store.ts';
import type { RunRow, Snapshot } from '../../sync-state/runs.store.ts';
import { findObjectMap, type SyncContext, withLockedState } from '../state/context.ts';
import { HaltError } from '../state/halt-error.ts';

const sampleSize = 100;
const listed = new Intl.ListFormat('en');
const sideNames: Readonly<Record<Side, string>> = { helium: 'Helium', journey: 'Journey' };

type TableSide = Pick<AbsenceScope, 'side' | 'table'>;

/**
 * Collects values of a page that one side no longer has. `isFirstPage` first discards what an
 * earlier, incomplete read collected.
 */
export async function collectClearings(
  context: SyncContext,
  { side, table }: TableSide,
  { values, isFirstPage }: { readonly values: readonly ClearedValue[]; readonly isFirstPage: boolean },
): Promise<void> {
  if (values.length === 0 && !isFirstPage) return;
  const scope = { stateId: context.stateId, side, table };
  await withLockedState(context, async (db) => {
    if (isFirstPage) await takeClearings(db, scope);
    await addClearings(db, scope, values);
  });
}

interface SettleOptions<Result> {
  readonly absent?: Snapshot['absent'];
  /** A comparison leaves the decision to a full read. */
  readonly isComparison?: boolean;
  /** Has the few collected values cleared, in the transaction that decides. */
  readonly onFew: (db: Db, row: RunRow, scope: AbsenceScope) => Promise<Result>;
}

/**
 * Has few values cleared. Throws HaltError once an operator has to be asked. Returns undefined when
 * a full read decides instead.
 */
export async function settleClearings<Result>(
  context: SyncContext,
  { side, table }: TableSide,
  { absent: mode = 'ask', isComparison = false, onFew }: SettleOptions<Result>,
): Promise<Result | undefined> {
  const scope = { stateId: context.stateId, side, table };
  const map = findObjectMap(context, table);
  const settled = await withLockedState(context, async (db, row) => {
    // A full read, planned since then, merges these records itself.
    const isReadInFull = (map?.toHelium && row.toHelium) || (map?.toJourney && row.toJourney);
    if (!map || (isComparison && isReadInFull)) {
      await takeClearings(db, scope);
      return {};
    }
    const columns = await countClearings(db, scope);
    const brake = { maxDeletedPercent: context.maxDeletedPercent, isAboutAny: mode === 'ask about any' };
    if (mode === 'delete' || !columns.some((one) => mustAskAboutDeletion({ ...one, ...brake })))
      return { result: await onFew(db, row, scope) };
    const sample = await sampleClearings(db, scope, sampleSize);
    const question = describeClearings({ scope, map }, { columns, ...sample });
    await saveQuestion(db, context, question);
    // It starts again once the question is answered.
    if (isComparison) await requestComparison(db, context.stateId);
    return { question };
  });
  if (settled.question) throw new HaltError(settled.question.reason);
  return settled.result;
}

function describeClearings(
  { scope: { side, table }, map }: { readonly scope: AbsenceScope; readonly map: ObjectMap },
  counts: Pick<NewQuestion & { kind: 'clearings' }, 'columns' | 'records' | 'sample'>,
): NewQuestion & { kind: 'clearings' } {
  const other = side === 'helium' ? 'journey' : 'helium';
  const count = (number: number) => number.toLocaleString('en');
  const values = counts.columns.map(
    ({ column, absent, known }) => `${count(absent)} of the ${count(known)} values of ${table}.${column}`,
  );
  return {
    kind: 'clearings',
    side: other,
    table,
    reason:
      `${sideNames[side]} no longer has ${listed.format(values)} that both sides had, and no log names the change. ` +
      `Nothing was cleared in ${sideNames[other]}. Decide whether to clear them there or to restore them in ${sideNames[side]}.`,
    isSyncedBack: side === 'helium' ? map.toHelium : map.toJourney,
    ...counts,
  };
}
