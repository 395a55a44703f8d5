/** Writes down what a page of the op-log has come to: what is known of each record, what is held, who is to look again. */

import type { Db, HeliumOutcome } from '../../helium/helium-end.ts';
import { sameFields } from '../../record/fields.ts';
import { KeyMap, keyText, type RecordKey } from '../../record/record-key.ts';
import { expectedOf } from '../../record/record-state.ts';
import { addConflicts } from '../../sync-state/conflicts.store.ts';
import { markDirty } from '../../sync-state/dirty-records.store.ts';
import { type Hold, hold, release, wake } from '../../sync-state/held-records.store.ts';
import { type IntentRef, removeIntents } from '../../sync-state/intents.store.ts';
import { saveRecords } from '../../sync-state/records.store.ts';
import type { SyncContext } from '../shared/sync-context.ts';
import type { Folded } from './merge-entries.ts';

/** Kind of what is held because Helium has no place for a value of it. */
export const unreadable = 'unreadable value';

/** Answers how many are held now, and how many of those that were are free. */
export async function accountEntries(
  context: SyncContext,
  db: Db,
  folded: readonly Folded[],
  outcomes: KeyMap<HeliumOutcome>,
  isListing: boolean,
): Promise<{ readonly held: number; readonly released: number }> {
  const holds = new KeyMap<Hold>();
  for (const one of folded) {
    const found = holdOf(one, outcomes.get(one.key));
    if (found) holds.set(one.key, found);
  }
  const held = [...holds.values()];
  const free = folded.filter(({ key }) => !holds.has(key));
  const released = free.filter((one) => one.held).map(keyOf);
  await hold(db, context.stateId, 'journey-to-helium', held);
  await release(db, context.stateId, 'journey-to-helium', released);
  await wake(db, context.stateId, free.filter(({ row, write }) => row === null && write).map(keyOf));
  await saveRecords(
    db,
    context.stateId,
    folded.map(({ key, known, state, changedAtMs }) => ({
      key,
      journey: state.journey,
      deletedAtMs: state.deletedAtMs,
      // What is gone has no time by Journey's clock.
      listedAtMs: isListing && state.journey !== null ? Math.max(changedAtMs, known.listedAtMs ?? 0) : known.listedAtMs,
      missing: null,
    })),
  );
  await removeIntents(db, context.stateId, folded.flatMap(crossedOff));
  const conflicts = folded.flatMap(({ key, conflicts }) => conflicts.map((conflict) => ({ key, conflict })));
  await addConflicts(db, context.stateId, conflicts);
  await markDirty(db, context.stateId, free.filter(needsAnotherLook).map(keyOf));
  for (const { key, state, reason } of held)
    context.log(
      state === 'dead' ? 'SEVERE' : 'WARNING',
      `${keyText(key)} ${state === 'dead' ? 'is refused by Helium' : 'waits'}: ${reason}`,
    );
  return { held: held.length, released: released.length };
}

function keyOf({ key }: Folded): RecordKey {
  return key;
}

/** The other direction passed it by while it was held or missing; or both sides still differ. */
function needsAnotherLook({ known, held, row, write, state, isDirty }: Folded): boolean {
  if (known.missing !== null) return true;
  if (!held) return isDirty;
  // While it was held, what nobody answered for was not sent again.
  if (state.intents.some(({ stage }) => stage === 'sent')) return true;
  const helium = write === undefined ? (row?.fields ?? null) : write;
  return !sameFields(helium, expectedOf(state));
}

function crossedOff({ key, known, state }: Folded): IntentRef[] {
  return known.intents.filter((intent) => !state.intents.includes(intent)).map(({ no }) => ({ key, no }));
}

function holdOf(one: Folded, outcome: HeliumOutcome | undefined): Hold | undefined {
  const { problem } = one;
  const held = heldAs(one, outcome === undefined || outcome.is === 'written');
  if (problem !== undefined) return { ...held, state: 'dead', kind: unreadable, reason: problem };
  if (outcome?.is === 'refused') return { ...held, state: 'dead', kind: outcome.kind, reason: outcome.reason };
  if (outcome?.is !== 'parked') return undefined;
  const missing = outcome.missing.map(keyText);
  return {
    ...held,
    state: 'parked',
    kind: 'missing parent',
    reason: `It points at ${missing.join(', ')}, which Helium does not have.`,
    missing,
  };
}

/** @param isWritten what could be read before the problem came up is in Helium's row */
function heldAs({ key, known, held, row, state, changedAtMs }: Folded, isWritten: boolean) {
  const isRead = state !== known;
  const base = isWritten && isRead ? state.journey : held ? held.base : known.journey;
  return { key, base, changedAtMs, helium: row?.fields ?? null, journey: state.journey };
}
