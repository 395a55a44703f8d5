/**
 * Compares both sides without changing anything, and asks an operator what to do about a restore.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { ObjectDifference, Side } from '@portal/contract/sync/recovery';
import { formatUtc } from '@portal/kit/format-utc';
import { Unreachable } from '@portal/kit/problems';
import type { Halted } from '../../integration/run-host.ts';
import { DataModelChanged } from '../../journey/stale-mapping.ts';
import type { ObjectMap } from '../../mapping/object-map.ts';
import { saveQuestion } from '../../sync-state/questions.store.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { RetryPolicy } from '../run/pace/retry-policy.ts';
import { withLockedState } from '../state/context.ts';
import { countDifferences } from './ask/count-differences.ts';
import type { RestoreFound } from './notice/restore-found.ts';

export type ComparedRun = Pick<ActiveRun, 'context' | 'run' | 'timing'>;

/** Call it when no loop runs any more. Both sides may change while they are compared. */
export async function askAboutRestore(active: ComparedRun, found: RestoreFound): Promise<Halted> {
  const { context, run } = active;
  const { side, asOf, tables } = found;
  run.log('WARNING', `${found.message} Both sides are now compared; nothing is changed.`);
  const objects: ObjectDifference[] = [];
  for (const map of context.mapping.objects)
    if (tables?.includes(map.table) ?? true) objects.push(await compareObject(active, map));
  const reason = describeRestore(found, objects);
  const position = await withLockedState(context, async (db, { changeLogCursor, opLogCursor }) => {
    await saveQuestion(db, context, {
      kind: 'restored',
      side,
      asOf: asOf?.toISOString() ?? null,
      reason,
      ...(tables && { tables: [...tables] }),
      objects,
    });
    return `change log ${changeLogCursor}, op-log ${opLogCursor}`;
  });
  return { outcome: 'halted', reason, position };
}

async function compareObject(active: ComparedRun, map: ObjectMap): Promise<ObjectDifference> {
  const { table, toHelium, toJourney } = map;
  let total = { table, toHelium, toJourney, onlyInHelium: 0, onlyInJourney: 0, differ: 0, comingBack: 0 };
  for (let afterId: string | null = null; ; ) {
    const status = `Comparing both sides after a restore: ${table}`;
    active.run.publish({ heliumSyncStatus: status, journeySyncStatus: status });
    const { counted, lastId } = await withRetries(active, () => countDifferences(active.context, map, afterId));
    total = {
      ...total,
      onlyInHelium: total.onlyInHelium + counted.onlyInHelium,
      onlyInJourney: total.onlyInJourney + counted.onlyInJourney,
      differ: total.differ + counted.differ,
      comingBack: total.comingBack + counted.comingBack,
    };
    if (lastId === null) return total;
    afterId = lastId;
  }
}

/** Repeats one page as the loops do, for as long as the failure is temporary. */
async function withRetries<T>({ run, timing }: ComparedRun, readPage: () => Promise<T>): Promise<T> {
  const retryPolicy = new RetryPolicy(timing.retry);
  for (;;) {
    try {
      return await run.withSlot(readPage);
    } catch (error) {
      run.signal.throwIfAborted();
      // The next run builds the mapping again, and finds the restore again.
      if (error instanceof DataModelChanged) throw new Unreachable(error.message, { cause: error });
      const waitMs = retryPolicy.nextDelayMs(error);
      const message = error instanceof Error ? error.message : String(error);
      run.log('WARNING', `Comparing both sides: ${message} Retrying in ${Math.ceil(waitMs / 1000)} s.`);
      await pause(waitMs, undefined, { signal: run.signal });
    }
  }
}

const names: Readonly<Record<Side, string>> = { helium: 'Helium', journey: 'Journey' };

function describeRestore({ message, side, asOf }: RestoreFound, objects: readonly ObjectDifference[]): string {
  const sum = (count: (object: ObjectDifference) => number) =>
    objects.reduce((total, object) => total + count(object), 0).toLocaleString('en');
  const time = asOf ? ` The newest data of ${names[side]} is from ${formatUtc(asOf.toISOString())}.` : '';
  const counts = `Records only in Helium: ${sum((one) => one.onlyInHelium)}, only in Journey: ${sum((one) => one.onlyInJourney)}, different: ${sum((one) => one.differ)}.`;
  return `${message}${time} ${counts} Nothing was changed. Open the integration and choose how to continue.`;
}
