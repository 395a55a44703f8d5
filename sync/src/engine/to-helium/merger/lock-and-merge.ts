import type { Db } from '../../../helium/helium-gateway.ts';
import { nameFiles } from '../../files/book/waiting.ts';
import { checkHelium } from '../../restore/notice/check-helium.ts';
import type { SyncContext } from '../../state/context.ts';
import type { MergedEntry, RecordEntries } from '../../state/merged-entry.ts';
import { lockRowsByKey } from '../../state/rows-by-key.ts';
import { readUntouched } from '../../state/untouched-columns.ts';
import { deferEntries, mergeEntries } from '../merger.ts';
import { readEditTimes } from './edit-times.ts';

/** Locks the rows of records, and returns what merges each of these into its row. */
export async function lockAndMerge(
  context: SyncContext,
  db: Db,
  records: readonly RecordEntries[],
  cursor: string,
): Promise<(record: RecordEntries) => MergedEntry> {
  const { rows, busy } = await lockRowsByKey(
    context,
    db,
    records.map(({ key }) => key),
  );
  // After the rows were read, so that nothing is merged that a restore did to them.
  await checkHelium(context, db);
  const ready = records.filter(({ key }) => !busy.has(key));
  const times = await readEditTimes(context, db, ready, rows, cursor);
  const bases = ready.map(({ key, known, held }) => ({ key, base: held ? held.base : known.journey }));
  const untouched = await readUntouched(context, db, bases, rows);
  return (record) => {
    const { key } = record;
    const locked = busy.get(key);
    if (locked) {
      const named = nameFiles(context, record, locked.row);
      return deferEntries(context, named.record, named.row, locked.reason);
    }
    const deletedAtMs = times.deletionTimes.get(key) ?? null;
    const isMissingUnlogged = times.unlogged.has(key);
    const named = nameFiles(context, record, rows.get(key) ?? null);
    const { transactionTimes, nowMs } = times;
    return mergeEntries(context, named.record, named.row, {
      transactionTimes,
      deletedAtMs,
      isMissingUnlogged,
      nowMs,
      untouched: untouched.get(key) ?? [],
    });
  };
}
