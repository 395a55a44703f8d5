/** What operators see of a run: its status, why it waits, and what it synced. */

import type { SyncConfig } from '@portal/contract/sync/config';
import { describeTableLock } from '../../helium/describe-table-lock.ts';
import type { HorizonHolder } from '../../helium/helium-gateway.ts';
import { isLockTimeout } from '../../helium/limit-waits.ts';
import type { RunHost } from '../../integration/run-host.ts';
import { keyText, type RecordKey } from '../../record/record-key.ts';
import type { SyncContext } from '../state/context.ts';
import type { Run } from '../state/run.ts';
import type { RunWith } from './parts.ts';

/**
 * Returns the state of a direction that has read its log to the end. It is not live without any
 * object: what is not synced must not look as if it were.
 */
export function describeRest({ mapping }: Pick<SyncContext, 'mapping'>): string {
  if (mapping.objects.length > 0) return 'Live';
  return 'Nothing is synced: Helium and Journey have no tracked object in common that is not paused.';
}

/** Shows operators why a direction waits, and for how long. */
export async function reportFailure(
  { context, retries, log, publish }: RunWith<'retries'>,
  direction: 'toJourney' | 'toHelium',
  problem: unknown,
  waitMs: number,
): Promise<void> {
  const message = await explainFailure(context, problem);
  const name = direction === 'toJourney' ? 'Helium → Journey' : 'Journey → Helium';
  if (retries[direction].isLogged) log('WARNING', `${name}: ${message} Retrying in ${Math.ceil(waitMs / 1000)} s.`);
  const status = `Waiting: ${message}`;
  publish(direction === 'toJourney' ? { heliumSyncStatus: status } : { journeySyncStatus: status });
}

async function explainFailure({ helium: { reading, schema } }: SyncContext, problem: unknown): Promise<string> {
  const lock = isLockTimeout(problem) ? await describeTableLock(reading, schema).catch(() => null) : null;
  return lock ?? (problem instanceof Error ? problem.message : String(problem));
}

/**
 * Returns a listener that publishes which transaction keeps the change log from being read further.
 */
export function reportLockHolder(run: Pick<RunHost, 'publish'>): (holder: HorizonHolder | null) => void {
  return (holder) => {
    run.publish({ horizonHolder: holder, ...(holder && { heliumToJourneyWaitingSinceMs: Date.parse(holder.since) }) });
  };
}

interface SyncedRecords {
  readonly direction: 'Helium → Journey' | 'Journey → Helium';
  /** What happened to them: 'sent', 'written'. */
  readonly done: string;
  readonly keys: readonly RecordKey[];
  /** What else happened, such as '2 refused'. */
  readonly facts: readonly string[];
}

/** Logs what was synced: how many records of each object and, where switched on, which. */
export function logSynced(
  run: Pick<Run, 'log'> & { readonly context: { readonly config: Pick<SyncConfig, 'logRecordIds'> } },
  { direction, done, keys, facts }: SyncedRecords,
): void {
  const counts = [`${describeKeys(keys)} ${done}`, ...facts];
  run.log('INFO', `${direction}: ${counts.join(', ')}.`);
  if (!run.context.config.logRecordIds) return;
  for (const key of keys) run.log('FINE', `${direction}: ${keyText(key)} ${done}.`);
}

/** Returns the number of records of each table, in the order of the keys: '3 farmer, 2 visit'. */
export function describeKeys(keys: readonly RecordKey[]): string {
  const counts = new Map<string, number>();
  for (const { table } of keys) counts.set(table, (counts.get(table) ?? 0) + 1);
  return [...counts].map(([table, count]) => `${count.toLocaleString('en')} ${table}`).join(', ');
}
