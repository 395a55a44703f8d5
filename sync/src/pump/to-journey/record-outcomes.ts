/** Writes down what became of each write that was sent to Journey. */

import type { Db } from '../../helium/helium-gateway.ts';
import type { JourneyOutcome } from '../../journey/journey-gateway.ts';
import type { KeyMap } from '../../record/record-key.ts';
import { keyText } from '../../record/record-key.ts';
import { markDirty } from '../../sync-state/dirty-records.store.ts';
import { hold, release } from '../../sync-state/held-records.store.ts';
import { removeIntents } from '../../sync-state/intents.store.ts';
import { readRecords, saveRecords } from '../../sync-state/records.store.ts';
import { hasEcho, type SyncContext } from '../shared/sync-context.ts';
import { intentsOf, type Planned } from './plan-writes.ts';

/** The intents of what is done need no word: their call is answered. */
export async function recordOutcomes(
  context: SyncContext,
  db: Db,
  planned: readonly Planned[],
  outcomes: KeyMap<JourneyOutcome>,
): Promise<void> {
  const done = planned.filter(({ key }) => outcomes.get(key)?.status === 'done');
  const undone = planned.filter(({ key }) => outcomes.get(key)?.status !== 'done');
  await removeIntents(db, context.stateId, intentsOf(undone));
  // Where no op-log is read, what Journey has acknowledged is what it holds.
  await saveRecords(
    db,
    context.stateId,
    done
      .filter(({ key }) => !hasEcho(context, key.table))
      .map(({ key, helium, known }) => ({ ...known, key, journey: helium })),
  );
  await recordMissing(
    context,
    db,
    undone.filter(({ key }) => outcomes.get(key)?.status === 'missing'),
  );
  await release(
    db,
    context.stateId,
    'helium-to-journey',
    done.filter(({ wasHeld }) => wasHeld).map(({ key }) => key),
  );
  const holds = undone.flatMap(({ key, helium, known }) => {
    const outcome = outcomes.get(key);
    if (outcome?.status !== 'refused') return [];
    const { kind, reason } = outcome;
    return [{ key, state: 'dead' as const, kind, reason, helium, journey: known.journey }];
  });
  await hold(db, context.stateId, 'helium-to-journey', holds);
  for (const { key, reason } of holds) context.log('SEVERE', `${keyText(key)} is refused by Journey: ${reason}`);
}

/**
 * Journey had nothing to patch. The op-log will say who deleted it; when it was read to its end
 * without a word, and the record is missing once more, it is put anew.
 */
async function recordMissing(context: SyncContext, db: Db, missing: readonly Planned[]): Promise<void> {
  if (missing.length === 0) return;
  const records = await readRecords(
    db,
    context.stateId,
    missing.map(({ key }) => key),
  );
  const changes = missing.map(({ key }) => {
    const known = records.of(key);
    const waits = hasEcho(context, key.table) && known.journey !== null && known.missing !== 'again';
    return { ...known, key, journey: waits ? known.journey : null, missing: waits ? ('waits' as const) : null };
  });
  await saveRecords(db, context.stateId, changes);
  await markDirty(
    db,
    context.stateId,
    changes.filter(({ missing }) => missing === null).map(({ key }) => key),
  );
}
