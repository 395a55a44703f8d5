import type { Db } from '../../helium/helium-gateway.ts';
import { getValue } from '../../record/fields.ts';
import { adoptFiles } from '../../record/file-value.ts';
import { keyText, type RecordKey } from '../../record/record-key.ts';
import { expectedFields } from '../../record/record-state.ts';
import { findInFlight } from '../../sync-state/comparisons.store.ts';
import { readRecords } from '../../sync-state/records.store.ts';
import { readWaitingFiles } from '../../sync-state/waiting-files.store.ts';
import { findObjectMap, type SyncContext } from '../state/context.ts';
import { readRowsByKey } from '../state/rows-by-key.ts';
import { type RecordConflict, saveConflicts } from '../state/save-conflicts.ts';

/**
 * Lists the values that Journey has, or is to receive, and that Helium's rows no longer have
 * although the change log names no edit after the cursor: a restore, or a repair behind the log,
 * has changed the rows. Call it before they are sent, which replaces these values.
 */
export async function listUnlogged(
  context: SyncContext,
  db: Db,
  keys: readonly RecordKey[],
  changeLogCursor: string,
): Promise<void> {
  const { stateId, helium } = context;
  const sent = keys.filter(({ table }) => findObjectMap(context, table)?.toJourney);
  const records = await readRecords(db, stateId, sent);
  const rows = await readRowsByKey(context, db, sent);
  const files = await readWaitingFiles(db, stateId, sent);
  const inFlight = await findInFlight(db, stateId, sent);
  const replaced = sent.flatMap((key): RecordConflict[] => {
    const row = rows.get(key)?.fields;
    const expected = expectedFields(records.get(key));
    if (!row || !expected || inFlight.has(keyText(key))) return [];
    const columns = findObjectMap(context, key.table)?.fields ?? [];
    return Object.entries(adoptFiles(columns, row, [expected])).flatMap(([column, helium]) => {
      const journey = getValue(expected, column);
      if (journey === null || helium === journey || files.get(key)?.has(column)) return [];
      return [{ key, conflict: { column, helium, journey, winner: 'helium' } }];
    });
  });
  const changed = await helium.findChanged(
    db,
    replaced.map(({ key }) => key),
    changeLogCursor,
  );
  const unlogged = replaced.filter(({ key }) => !changed.has(key));
  await saveConflicts(context, db, unlogged);
}
