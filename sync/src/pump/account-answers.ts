/** Writes down what became of each write that was sent to Journey. */
import type { KeyMap } from '../engine/record-key.ts';
import { keyText } from '../engine/record-key.ts';
import type { Db } from '../helium/helium-end.ts';
import type { JourneyOutcome } from '../journey/journey-end.ts';
import { markDirty } from '../state/dirty-store.ts';
import { hold, release } from '../state/held-store.ts';
import { removeIntents } from '../state/intent-store.ts';
import { readRecords, saveRecords } from '../state/record-store.ts';
import { intentsOf, type Planned } from './plan-writes.ts';
import { hasEcho, type Pump } from './pump.ts';

/** The intents of what is done need no word: their call is answered. */
export async function accountAnswers(
  pump: Pump,
  db: Db,
  planned: readonly Planned[],
  outcomes: KeyMap<JourneyOutcome>,
): Promise<void> {
  const done = planned.filter(({ key }) => outcomes.get(key)?.is === 'done');
  const undone = planned.filter(({ key }) => outcomes.get(key)?.is !== 'done');
  await removeIntents(db, pump.run, intentsOf(undone));
  // Where no op-log is read, what Journey has acknowledged is what it holds.
  await saveRecords(
    db,
    pump.run,
    done
      .filter(({ key }) => !hasEcho(pump, key.table))
      .map(({ key, helium, known }) => ({ ...known, key, journey: helium })),
  );
  await accountMissing(
    pump,
    db,
    undone.filter(({ key }) => outcomes.get(key)?.is === 'missing'),
  );
  await release(
    db,
    pump.run,
    'helium-to-journey',
    done.filter(({ wasHeld }) => wasHeld).map(({ key }) => key),
  );
  const holds = undone.flatMap(({ key, helium, known }) => {
    const outcome = outcomes.get(key);
    if (outcome?.is !== 'refused') return [];
    const { kind, reason } = outcome;
    return [{ key, state: 'dead' as const, kind, reason, helium, journey: known.journey }];
  });
  await hold(db, pump.run, 'helium-to-journey', holds);
  for (const { key, reason } of holds) pump.log('SEVERE', `${keyText(key)} is refused by Journey: ${reason}`);
}

/**
 * Journey had nothing to patch. The op-log will say who deleted it; when it was read to its end without a word, and the
 * record is missing once more, it is put anew.
 */
async function accountMissing(pump: Pump, db: Db, missing: readonly Planned[]): Promise<void> {
  if (missing.length === 0) return;
  const records = await readRecords(
    db,
    pump.run,
    missing.map(({ key }) => key),
  );
  const changes = missing.map(({ key }) => {
    const known = records.of(key);
    const waits = hasEcho(pump, key.table) && known.journey !== null && known.missing !== 'again';
    return { ...known, key, journey: waits ? known.journey : null, missing: waits ? ('waits' as const) : null };
  });
  await saveRecords(db, pump.run, changes);
  await markDirty(
    db,
    pump.run,
    changes.filter(({ missing }) => missing === null).map(({ key }) => key),
  );
}
