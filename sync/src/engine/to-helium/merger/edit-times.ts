/** Reads from Helium's logs when the rows of a page were edited or deleted. */
import type { Db, HeliumGateway, HeliumRow } from '../../../helium/helium-gateway.ts';
import { areFieldsEqual } from '../../../record/fields.ts';
import { listTransactions } from '../../../record/helium-times.ts';
import { KeyMap } from '../../../record/record-key.ts';
import { findObjectMap, type SyncContext } from '../../state/context.ts';
import type { RecordEntries } from './merged-entry.ts';

export interface EditTimes {
  readonly transactionTimes: ReadonlyMap<string, number>;
  /**
   * When records that are missing in Helium were deleted, or were first seen to be, in
   * milliseconds.
   */
  readonly deletionTimes: KeyMap<number>;
  /**
   * Records that are missing in Helium, although the log of their table is read and names no
   * deletion.
   */
  readonly unlogged: KeyMap<true>;
  readonly nowMs: number;
}

/**
 * Runs no query unless Helium's side of a record may have been edited or deleted.
 *
 * @param cursor the position in Helium's change log: deletions before it are known
 */
export async function readEditTimes(
  context: Pick<SyncContext, 'policy' | 'mapping'> & {
    readonly helium: Pick<HeliumGateway, 'readDeletionTimes' | 'readTransactionTimes'>;
  },
  db: Db,
  records: readonly RecordEntries[],
  rows: KeyMap<HeliumRow>,
  cursor: string,
): Promise<EditTimes> {
  const { helium, policy } = context;
  const nowMs = Date.now();
  const deletionTimes = new KeyMap<number>();
  const unlogged = new KeyMap<true>();
  const deleted = records.filter((record) => !rows.has(record.key) && isDeleted(record)).map(({ key }) => key);
  const logged = await helium.readDeletionTimes(db, deleted, { cursor, limit: null });
  for (const key of deleted) {
    const time = logged.get(key);
    if (time === undefined && findObjectMap(context, key.table)?.toJourney) unlogged.set(key, true);
    else deletionTimes.set(key, time ?? nowMs);
  }
  if (policy !== 'later') return { transactionTimes: new Map(), deletionTimes, unlogged, nowMs };
  const txIds = records.flatMap((record) => {
    const row = rows.get(record.key);
    return row && isEdited(record, row) ? listTransactions(record.known, row) : [];
  });
  return { transactionTimes: await helium.readTransactionTimes(db, txIds), deletionTimes, unlogged, nowMs };
}

/** Whether Helium's row may hold an edit that Journey's entries conflict with. */
function isEdited({ known, held, entries }: RecordEntries, { fields }: HeliumRow): boolean {
  const isInSync = !held && known.intents.length === 0 && areFieldsEqual(fields, known.journey);
  // The last one may be the echo of our write, and another one the edit that it replaced.
  return !isInSync && entries.some((entry) => !areFieldsEqual(fields, entry.fields));
}

/** Whether a record without a row was deleted in Helium, at a time that is not known yet. */
function isDeleted({ known, held, entries }: RecordEntries): boolean {
  // The echo of the write that sent it may be among the entries.
  const wasThere = (held ? held.base : known.journey) !== null || known.intents.length > 0;
  return wasThere && known.deletedAtMs === null && entries.some(({ fields }) => fields !== null);
}
