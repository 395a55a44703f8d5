/**
 * Lists values of Helium that Journey's objects replace or clear although no log names the change,
 * with their files. Call it before the objects are applied.
 */
import type { Db } from '../../../helium/helium-gateway.ts';
import { createFields } from '../../../record/fields.ts';
import type { Conflict } from '../../../record/merge.ts';
import { KeyMap, keyText, type RecordKey } from '../../../record/record-key.ts';
import { type KeptLoser, keepLosers, linkLosers } from '../../files/book/kept.ts';
import type { SyncContext } from '../../state/context.ts';
import { type RecordConflict, saveConflicts } from '../../state/save-conflicts.ts';

/** Returns the records whose files cannot be kept: they must stay as they are. */
export async function listReplaced(
  context: SyncContext,
  db: Db,
  replaced: readonly RecordConflict[],
): Promise<KeyMap<true>> {
  const unkept = new KeyMap<true>();
  const kept: KeptLoser[] = [];
  const records = new KeyMap<{ readonly key: RecordKey; readonly conflicts: Conflict[] }>();
  for (const { key, conflict } of replaced) {
    const record = records.get(key);
    if (record) record.conflicts.push(conflict);
    else records.set(key, { key, conflicts: [conflict] });
  }
  for (const { key, conflicts } of records.values()) {
    const toRow = (side: 'helium' | 'journey') => ({
      fields: Object.assign(
        createFields<unknown>(),
        Object.fromEntries(conflicts.map((one) => [one.column, one[side]])),
      ),
    });
    const record = { key, conflicts, row: toRow('helium'), rowAfter: toRow('journey') };
    const result = await keepLosers(context, db, record);
    if ('kept' in result) kept.push(...result.kept);
    else {
      unkept.set(key, true);
      context.log(
        'WARNING',
        `${keyText(key)} stays as it is: files that Journey no longer has cannot be kept. ${result.problem}`,
      );
    }
  }
  const listed = replaced.filter(({ key }) => !unkept.has(key));
  await linkLosers(db, kept, await saveConflicts(context, db, listed));
  return unkept;
}
