/**
 * Keeps a file of Journey that lost a conflict, once it was fetched. Then Helium may overwrite it,
 * or delete its record.
 */
import type { HeliumBlob } from '../../../record/blob.ts';
import { failFile } from '../../../record/waiting-file.ts';
import { keepFile } from '../../../sync-state/conflict-files.store.ts';
import { markDirty } from '../../../sync-state/dirty-records.store.ts';
import { isStillLost, noteNoRoom, removeLostFile } from '../../../sync-state/lost-files.store.ts';
import { type LostFile, type StoredFile, saveWaitingFiles } from '../../../sync-state/waiting-files.store.ts';
import { inPageTransaction, type SyncContext } from '../../state/context.ts';

export function keepLostFile(
  context: SyncContext,
  target: StoredFile & { readonly lost: LostFile },
  blob: HeliumBlob,
): Promise<void> {
  const { key, column, file, lost } = target;
  const { stateId, keptFiles: limits } = context;
  const { conflict } = lost;
  return inPageTransaction(context, { direction: 'journey-to-helium', keys: [key] }, async (db) => {
    const done = { result: undefined, change: {} };
    if (!(await isStillLost(db, stateId, target, lost))) return done;
    const { journeyId } = file;
    const result = await keepFile(db, { stateId, limits }, { column, side: 'journey', conflict, journeyId }, blob);
    if ('problem' in result) {
      const next = failFile(file, result.problem, Date.now(), context.fileBackoff);
      await saveWaitingFiles(db, stateId, [{ ...target, file: next }]);
      await noteNoRoom(db, stateId, target, { conflict, size: blob.bytes.length, reason: result.problem });
      return done;
    }
    await removeLostFile(db, stateId, target, lost);
    // While it waited, nothing was sent that overwrites it.
    await markDirty(db, stateId, [key]);
    return done;
  });
}
