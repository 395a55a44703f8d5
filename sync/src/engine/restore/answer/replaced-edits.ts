/** Finds values of Journey that exist in its op-log only, before the op-log is left behind. */
import type { JourneyEntry } from '../../../journey/journey-gateway.ts';
import { KeyMap, type RecordKey } from '../../../record/record-key.ts';
import { readHeld } from '../../../sync-state/held-records.store.ts';
import { readRecords } from '../../../sync-state/records.store.ts';
import { readRun } from '../../../sync-state/runs.store.ts';
import { readWaitingFiles } from '../../../sync-state/waiting-files.store.ts';
import { findObjectMap, pageSize, type SyncContext } from '../../state/context.ts';
import type { RecordConflict } from '../../state/save-conflicts.ts';
import { newEntries } from '../../to-helium/merger/new-entries.ts';
import { deferEntries } from '../../to-helium/merger.ts';

/**
 * Returns the edits in the unread part of the op-log that one of our writes has replaced in Journey
 * since. They would become conflicts when that part is read. Files are left out, because only their
 * ids are known.
 */
export async function findReplacedEdits(context: SyncContext): Promise<RecordConflict[]> {
  const { stateId, helium } = context;
  if (!context.isTwoWay) return [];
  const unread = await readUnreadEntries(context);
  const keys = unread.map(({ key }) => key);
  const known = await readRecords(helium.pool, stateId, keys);
  const held = (await readHeld(helium.pool, stateId, keys))['journey-to-helium'];
  const waiting = await readWaitingFiles(helium.pool, stateId, keys);
  return unread.flatMap(({ key, entries: found }) => {
    const record = { key, entries: found, known: known.get(key), held: held.get(key), isListed: false };
    const entries = newEntries(context, record, waiting.get(key));
    const { conflicts } = deferEntries(context, { ...record, entries }, null, '');
    return conflicts.filter(({ column }) => !isFile(context, key, column)).map((conflict) => ({ key, conflict }));
  });
}

interface UnreadEntries {
  readonly key: RecordKey;
  readonly entries: JourneyEntry[];
}

/**
 * Returns the unread entries of records that we have written to and whose echoes have not been
 * read.
 */
async function readUnreadEntries(context: SyncContext): Promise<UnreadEntries[]> {
  const { helium, journey, mapping, stateId, fence, signal } = context;
  const { opLogCursor, opLogPoint } = await readRun(helium.pool, stateId, fence);
  const found = new KeyMap<UnreadEntries>();
  let cursor = opLogCursor;
  let isStart = cursor === '0' || (opLogPoint?.sequence === cursor && opLogPoint.isExpired === true);
  for (;;) {
    const page = await journey.readOpLog({ mapping, cursor, isStart, limit: pageSize, signal });
    const known = await readRecords(
      helium.pool,
      stateId,
      page.entries.map(({ key }) => key),
    );
    for (const entry of page.entries) {
      if (known.get(entry.key).intents.length === 0) continue;
      const others = found.get(entry.key);
      if (others) others.entries.push(entry);
      else found.set(entry.key, { key: entry.key, entries: [entry] });
    }
    if (page.historyLost && !isStart) {
      // Entries have expired: what is left of the log may still name what was replaced.
      const oldest = await journey.readOldest(signal);
      if (oldest === null) return [...found.values()];
      cursor = String(BigInt(oldest.sequence) - 1n);
      isStart = true;
      continue;
    }
    if (page.isLast || page.historyLost || page.cursor === cursor) return [...found.values()];
    cursor = page.cursor;
    isStart = false;
  }
}

function isFile(context: SyncContext, { table }: RecordKey, column: string | null): boolean {
  const fields = findObjectMap(context, table)?.fields ?? [];
  return fields.some((field) => field.column === column && field.kind === 'blob');
}
