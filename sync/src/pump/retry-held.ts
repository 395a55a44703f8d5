/** Journey → Helium: records that were held back, tried again. */
import type { RecordKey } from '../engine/record-key.ts';
import type { JourneyEntry } from '../journey/journey-end.ts';
import { readDue, readHeld } from '../state/held-store.ts';
import { readRecords } from '../state/record-store.ts';
import { UNREADABLE } from './account-entries.ts';
import { carryEntries } from './carry-entries.ts';
import type { IntegrationRun } from './integration-run.ts';
import { lookAgain } from './look-again.ts';
import { PAGE } from './pump.ts';
import { namesBlob } from './send-planned.ts';

/** Records that waited for what has come, or that somebody wants tried again. Answers whether there were any. */
export async function retryHeld(on: IntegrationRun): Promise<boolean> {
  const { pump } = on;
  const tables = pump.mapping.objects.filter(({ toHelium }) => toHelium).map(({ table }) => table);
  const due = await readDue(pump.helium.pool, pump.run, 'journey-to-helium', { tables, limit: PAGE });
  if (due.length === 0) return false;
  const held = (await readHeld(pump.helium.pool, pump.run, due))['journey-to-helium'];
  const records = await readRecords(pump.helium.pool, pump.run, due);
  const isUnread = (key: RecordKey) =>
    held.get(key)?.kind === UNREADABLE || namesBlob(pump, key, records.of(key).journey ?? {});
  const known = due.filter((key) => !isUnread(key));
  const entries = known.map((key): JourneyEntry => {
    const { journey, listedAtMs } = records.of(key);
    // Older than what was listed it would be passed over, and be due for ever.
    const changedAtMs = Math.max(held.get(key)?.changedAtMs ?? 0, listedAtMs ?? 0);
    return { sequence: '0', key, operation: journey === null ? 'delete' : 'update', fields: journey, changedAtMs };
  });
  if (entries.length > 0) await carryEntries(on, entries, {});
  // What could not be read as a row was not remembered either, and of files only what they hold.
  for (const key of due.filter(isUnread)) await lookAgain(on, key);
  on.countsMayDiffer = true;
  return true;
}
