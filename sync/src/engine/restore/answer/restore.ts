import { predictEffect, type RecoveryAnswer, type RestoredQuestion, type Side } from '@portal/contract/sync/recovery';
import type { HorizonHolder } from '../../../helium/helium-gateway.ts';
import { formatCount } from '../../../integration/format-count.ts';
import type { ObjectMap } from '../../../mapping/object-map.ts';
import { closeQuestion } from '../../../sync-state/questions.store.ts';
import { forgetTables } from '../../../sync-state/recovery.store.ts';
import { createSnapshot, type RunChange, type RunRow, type Snapshot, saveRun } from '../../../sync-state/runs.store.ts';
import { type SyncContext, withLockedState } from '../../state/context.ts';
import { addUnfinished } from '../../state/next-full-read.ts';
import { saveConflicts } from '../../state/save-conflicts.ts';
import { readChangeLogHead, readOpLogHead } from '../notice/read-heads.ts';
import { findReplacedEdits } from './replaced-edits.ts';

/**
 * Forgets what was known of both sides before the restore, and plans full reads. In each case both
 * logs continue from their heads. What one of our writes has replaced in Journey since the op-log
 * was read becomes a conflict.
 *
 *   keep-both   both sides are read and merged, without a known state
 *   helium      Journey is recorded as known, then Helium is read: Journey becomes equal
 *   journey     Helium is recorded as known, then Journey is read: Helium becomes equal
 *
 * A direction that is off writes nothing.
 */
export async function applyRestoreAnswer(
  context: SyncContext,
  { question, answer }: { readonly question: RestoredQuestion; readonly answer: RecoveryAnswer },
  onHeld: (holder: HorizonHolder | null) => void,
): Promise<void> {
  const { tables = null } = question;
  // When only some tables went back, the logs did not: their next entries are still to be read.
  const heads = tables === null && (await readHeads(context, onHeld));
  // A restored op-log does not continue at our cursor.
  const replaced = heads && question.side === 'helium' ? await findReplacedEdits(context) : [];
  const maps = context.mapping.objects.filter(({ table }) => tables?.includes(table) ?? true);
  const reads = planReads(maps, answer);
  const synced = (direction: 'toHelium' | 'toJourney') =>
    context.mapping.objects.filter((map) => map[direction]).map(({ table }) => table);
  await withLockedState(context, async (db, row) => {
    await saveConflicts(context, db, replaced);
    await forgetTables(db, context.stateId, tables);
    await saveRun(db, context.stateId, {
      ...heads,
      toHelium: tables === null ? reads.toHelium : addUnfinished(reads.toHelium, row.toHelium, synced('toHelium')),
      toJourney: tables === null ? reads.toJourney : addUnfinished(reads.toJourney, row.toJourney, synced('toJourney')),
    });
    await closeQuestion(db, context.stateId, context.fence);
  });
  context.log('WARNING', describeAnswer(question, answer));
}

async function readHeads(context: SyncContext, onHeld: (holder: HorizonHolder | null) => void): Promise<RunChange> {
  const changeLog = await readChangeLogHead(context, onHeld);
  const opLog = await readOpLogHead(context);
  return {
    changeLogCursor: changeLog.cursor,
    changeLogPoint: changeLog.point,
    opLogCursor: opLog.cursor,
    opLogPoint: opLog.point,
  };
}

function planReads(maps: readonly ObjectMap[], answer: RecoveryAnswer): Pick<RunRow, 'toHelium' | 'toJourney'> {
  type Kind = Pick<Snapshot, 'absent' | 'isAdoption'>;
  const select = (isRead: (map: ObjectMap) => boolean, kind: Kind) => {
    const tables = maps.filter(isRead).map(({ table }) => table);
    return tables.length === 0 ? null : { ...createSnapshot(tables, null), ...kind };
  };
  const isToHelium = (map: ObjectMap) => map.toHelium;
  const isToJourney = (map: ObjectMap) => map.toJourney;
  switch (answer) {
    case 'helium':
      return {
        toHelium: select(() => true, { isAdoption: true }),
        toJourney: select(isToJourney, { absent: 'delete' }),
      };
    case 'journey':
      return {
        toHelium: select(isToHelium, { absent: 'delete' }),
        toJourney: select(isToHelium, { isAdoption: true }),
      };
    default:
      return {
        toHelium: select(isToHelium, { absent: 'keep' }),
        toJourney: select(isToJourney, { absent: 'keep' }),
      };
  }
}

const names: Readonly<Record<Side, string>> = { helium: 'Helium', journey: 'Journey' };

function describeAnswer(question: RestoredQuestion, answer: RecoveryAnswer): string {
  const effect = predictEffect(question, answer);
  const sides = (['helium', 'journey'] as const).map((side) => {
    const { created, changed, deleted } = effect[side];
    const atMost = answer === 'keep-both' ? 'at most ' : '';
    return `in ${names[side]}, ${formatCount(created, 'record')} created, ${atMost}${changed} changed, ${deleted} deleted`;
  });
  const choice = {
    helium: 'make Journey equal to Helium',
    journey: 'make Helium equal to Journey',
    both: 'keep both sides; fields that differ become conflicts with both values',
  }[answer === 'helium' || answer === 'journey' ? answer : 'both'];
  return `After the restore of ${names[question.side]}, an operator chose to ${choice}. Expected: ${sides.join('; ')}.`;
}
