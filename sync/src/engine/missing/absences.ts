/**
 * Decides about the known records of a table that one side no longer has, once the table was read
 * to its end. Everything that infers a deletion from absence only collects records for this.
 *
 *   collected ─▶ still absent, not named by a log ─▶ few: deleted on the other side
 *                                                └─▶ many, all, or any without proof: an operator is asked
 */
import type { Side } from '@portal/contract/sync/recovery';
import type { Db } from '../../helium/helium-gateway.ts';
import type { ObjectMap } from '../../mapping/object-map.ts';
import { mustAskAboutDeletion } from '../../record/deletion-brake.ts';
import {
  type AbsenceDecision,
  type AbsenceScope,
  addAbsences,
  clearAbsences,
  countAbsences,
  countClearedReferences,
  decideAbsences,
  deleteAbsentRows,
  forgetAbsentRows,
  listAbsences,
  removeAbsences,
  removeExplainedAbsences,
  sampleKnownValues,
} from '../../sync-state/absences.store.ts';
import { requestComparison } from '../../sync-state/operations.store.ts';
import { type NewQuestion, saveQuestion } from '../../sync-state/questions.store.ts';
import { createSnapshot, type RunRow, type Snapshot, saveRun } from '../../sync-state/runs.store.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { findObjectMap, pageSize, type SyncContext, withLockedState } from '../state/context.ts';
import { HaltError } from '../state/halt-error.ts';
import { listObjects } from './list-objects.ts';

const sampleSize = 100;

type TableSide = Pick<AbsenceScope, 'side' | 'table'>;

/**
 * Collects known records of a page that one side no longer has. `isFirstPage` first discards what
 * an earlier, incomplete read collected.
 */
export async function collectAbsences(
  context: SyncContext,
  { side, table }: TableSide,
  { ids, isFirstPage }: { readonly ids: readonly string[]; readonly isFirstPage: boolean },
): Promise<void> {
  if (ids.length === 0 && !isFirstPage) return;
  const scope = { stateId: context.stateId, side, table };
  await withLockedState(context, async (db) => {
    if (isFirstPage) await clearAbsences(db, scope);
    await addAbsences(db, scope, ids);
  });
}

interface Settled {
  readonly absent: number;
  readonly question?: NewQuestion;
  readonly toHelium?: Snapshot | null;
}

interface SettleOptions {
  readonly absent?: Snapshot['absent'];
  /** A comparison leaves the decision to a full read of the same side, and always asks. */
  readonly isComparison?: boolean;
  /** Runs in the transaction that decides or asks. */
  readonly onSettled?: (db: Db) => Promise<void>;
}

/**
 * Checks the collected records of a table again, and decides about those that are still absent.
 * Returns how many they are. Throws HaltError once an operator has to be asked.
 */
export async function settleAbsences(
  active: ActiveRun,
  { side, table }: TableSide,
  { absent: mode = 'ask', isComparison = false, onSettled }: SettleOptions = {},
): Promise<number> {
  const { context, progress } = active;
  const scope = { stateId: context.stateId, side, table };
  const map = findObjectMap(context, table);
  if (side === 'journey' && map) await removeListedAbsences(active, map);
  const { absent, question, toHelium } = await withLockedState(context, async (db, row): Promise<Settled> => {
    const isLeft = isComparison && (side === 'helium' ? row.toJourney : row.toHelium) !== null;
    if (isLeft || !map) return { absent: 0 };
    await removeExplainedAbsences(db, scope, context.helium.schema);
    const counts = await countAbsences(db, scope);
    await onSettled?.(db);
    const { maxDeletedPercent } = context;
    const isAboutAny = mode === 'ask about any';
    if ((isAboutAny || mode === 'ask') && mustAskAboutDeletion({ ...counts, maxDeletedPercent, isAboutAny })) {
      const question = await describeDeletions(context, db, { side, map }, counts);
      await saveQuestion(db, context, question);
      // It starts again once the question is answered.
      if (isComparison) await requestComparison(db, context.stateId);
      return { absent: counts.absent, question };
    }
    if (counts.absent === 0) return { absent: 0 };
    const decision = mode === 'keep' ? 'keep' : 'delete';
    return { absent: counts.absent, toHelium: await applyDecision(context, db, { side, map, row }, decision) };
  });
  if (question) throw new HaltError(question.reason);
  if (absent === 0) return 0;
  if (toHelium) progress.planFullReads({ toHelium, toJourney: progress.fullReadToJourney });
  progress.markDecisions();
  active.toHelium.wake();
  active.toJourney.wake();
  return absent;
}

/**
 * Has the collected records of an object deleted or kept. Returns the full read of Journey if one
 * is planned for it: the rows that Helium no longer has come back with it.
 */
export async function applyDecision(
  { stateId }: Pick<SyncContext, 'stateId'>,
  db: Db,
  { side, map, row }: { readonly side: Side; readonly map: ObjectMap; readonly row: Pick<RunRow, 'toHelium'> },
  decision: AbsenceDecision,
): Promise<Snapshot | null> {
  const { table } = map;
  // Checked again page by page, by the loop that writes to Helium.
  if (side === 'journey') await decideAbsences(db, { stateId, side, table }, decision);
  else if (decision === 'delete') await deleteAbsentRows(db, { stateId, table });
  else await forgetAbsentRows(db, { stateId, table });
  if (side === 'journey' || decision === 'delete' || !map.toHelium) return null;
  const toHelium = withTable(row.toHelium, table);
  await saveRun(db, stateId, { toHelium });
  return toHelium;
}

/** Reads a table last, and from its start if it is being read. */
export function withTable(before: Snapshot | null, table: string): Snapshot {
  if (before === null) return createSnapshot([table], null);
  // An answer to a restore decides only about the tables that were compared.
  if (before.isAdoption || before.absent === 'delete')
    return { ...before, nextTables: [...new Set([...(before.nextTables ?? []), table])] };
  const afterId = before.tables[0] === table ? null : before.afterId;
  return { ...before, tables: [...before.tables.filter((one) => one !== table), table], afterId };
}

async function removeListedAbsences(active: ActiveRun, map: ObjectMap): Promise<void> {
  const { context } = active;
  const scope: AbsenceScope = { stateId: context.stateId, side: 'journey', table: map.table };
  let afterId: string | null = null;
  do {
    const ids = await listAbsences(context.helium.pool, scope, { afterId, limit: pageSize });
    const keys = (await listObjects(active, map, ids)).map(({ key }) => key);
    if (keys.length > 0) await withLockedState(context, (db) => removeAbsences(db, context.stateId, 'journey', keys));
    afterId = ids.length < pageSize ? null : (ids.at(-1) ?? null);
  } while (afterId !== null);
}

const sideNames: Readonly<Record<Side, string>> = { helium: 'Helium', journey: 'Journey' };

async function describeDeletions(
  context: SyncContext,
  db: Db,
  { side, map }: { readonly side: Side; readonly map: ObjectMap },
  { known, absent }: { readonly known: number; readonly absent: number },
): Promise<NewQuestion> {
  const { helium, stateId } = context;
  const { table } = map;
  const scope = { stateId, side, table };
  const other = side === 'helium' ? 'journey' : 'helium';
  const columns = context.mapping.objects.flatMap((from) =>
    from.fields
      .filter(({ kind, references }) => kind === 'reference' && references === table)
      .map(({ column }) => ({ table: from.table, column })),
  );
  const count = (number: number) => number.toLocaleString('en');
  // Before the references are counted, which may take long: another table could be locked by then.
  const sample =
    side === 'helium' ? await sampleKnownValues(db, scope, sampleSize) : await sampleRows(context, db, map);
  return {
    kind: 'deletions',
    side: other,
    table,
    reason:
      `${sideNames[side]} no longer has ${count(absent)} of the ${count(known)} ${table} records that both sides had. ` +
      `Nothing was deleted in ${sideNames[other]}. Decide whether to delete them there or to restore them in ${sideNames[side]}.`,
    known,
    absent,
    isSyncedBack: side === 'helium' ? map.toHelium : map.toJourney,
    clearedReferences: await countClearedReferences(db, scope, helium.schema, columns),
    sample,
  };
}

async function sampleRows({ helium, stateId }: SyncContext, db: Db, map: ObjectMap) {
  const scope: AbsenceScope = { stateId, side: 'journey', table: map.table };
  const ids = await listAbsences(db, scope, { afterId: null, limit: sampleSize });
  const rows = await helium.readRows(db, map, ids);
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ id, fields }) => ({ id, values: fields }));
}
