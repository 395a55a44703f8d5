/** Finds the files that Journey has and Helium lacks while both sides are compared. */
import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import type { ObjectMap } from '../../mapping/object-map.ts';
import { seeFile } from '../../record/waiting-file.ts';
import { readWaitingFiles, type StoredFile, saveWaitingFiles } from '../../sync-state/waiting-files.store.ts';
import { hasFiles } from '../files/book/has-files.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { inPageTransaction } from '../state/context.ts';

/** Notes files that nothing else has noted, so that they are downloaded. Returns how many wait. */
export async function noteFiles(
  { context, files: wake }: ActiveRun,
  { table }: ObjectMap,
  listed: readonly JourneyEntry[],
): Promise<number> {
  if (!hasFiles(context, table)) return 0;
  const { stateId, fileBackoff: backoff } = context;
  const keys = listed.map(({ key }) => key);
  const waiting = await inPageTransaction(context, { direction: 'journey-to-helium', keys }, async (db) => {
    const known = await readWaitingFiles(db, stateId, keys);
    const unknown = listed.flatMap(({ key, fields, attachments = {}, changedAtMs }) =>
      Object.entries(attachments).flatMap(([column, seen]): StoredFile[] => {
        if (Object.hasOwn(fields ?? {}, column) || known.get(key)?.get(column)?.journeyId === seen.id) return [];
        const times = { changedAtMs: changedAtMs ?? 0, nowMs: Date.now(), backoff };
        return [{ key, column, file: seeFile(undefined, seen, times) }];
      }),
    );
    await saveWaitingFiles(db, stateId, unknown);
    const result = keys.reduce((sum, key) => sum + (known.get(key)?.size ?? 0), 0) + unknown.length;
    return { result, change: {} };
  });
  wake.wake();
  return waiting;
}
