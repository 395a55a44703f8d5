/** Logs what was synced: how many records of each object and, where switched on, which. */
import type { RunHost } from '../../../integration/run-host.ts';
import { keyText, type RecordKey } from '../../../record/record-key.ts';

interface SyncedRecords {
  readonly direction: 'Helium → Journey' | 'Journey → Helium';
  /** What happened to them: 'sent', 'written'. */
  readonly done: string;
  readonly keys: readonly RecordKey[];
  /** What else happened, such as '2 refused'. */
  readonly facts: readonly string[];
}

export function logSynced(
  run: Pick<RunHost, 'integration' | 'log'>,
  { direction, done, keys, facts }: SyncedRecords,
): void {
  const counts = [`${describeKeys(keys)} ${done}`, ...facts];
  run.log('INFO', `${direction}: ${counts.join(', ')}.`);
  if (!run.integration.config.logRecordIds) return;
  for (const key of keys) run.log('FINE', `${direction}: ${keyText(key)} ${done}.`);
}

/** Returns the number of records of each table, in the order of the keys: '3 farmer, 2 visit'. */
export function describeKeys(keys: readonly RecordKey[]): string {
  const counts = new Map<string, number>();
  for (const { table } of keys) counts.set(table, (counts.get(table) ?? 0) + 1);
  return [...counts].map(([table, count]) => `${count.toLocaleString('en')} ${table}`).join(', ');
}
