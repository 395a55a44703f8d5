/**
 * Checks the writes that Journey acknowledged and that have not come back in the op-log for some
 * polls, and the records that it did not have. Decides by `record/unconfirmed-writes.ts`, for which
 * Journey's objects are read with one call per object.
 */
import type { Db } from '../../../helium/helium-gateway.ts';
import { areFieldsEqual, type Fields } from '../../../record/fields.ts';
import { adoptFiles } from '../../../record/file-value.ts';
import { KeyMap, type RecordKey } from '../../../record/record-key.ts';
import { applyWrite, expectedFields, type Intent } from '../../../record/record-state.ts';
import { getMinPastAgeMs, isPast, needsObject, settleWrites } from '../../../record/unconfirmed-writes.ts';
import { markDirty } from '../../../sync-state/dirty-records.store.ts';
import {
  closeCalls,
  type IntentRef,
  readUnconfirmed,
  removeIntents,
  removeSuperseded,
  supersede,
} from '../../../sync-state/intents.store.ts';
import {
  type RecordChange,
  readRecords,
  readWaiting,
  retryWaiting,
  saveRecords,
} from '../../../sync-state/records.store.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import { expectsEcho, findObjectMap, type SyncContext, withLockedState } from '../../state/context.ts';

/** The maximum number of each kind in a check: the others wait for the next one. */
const maxRecords = 10_000;

/** @param upTo the last intent to check */
export async function settleUnconfirmed(active: ActiveRun, upTo: number): Promise<void> {
  const { context, echoes } = active;
  const { stateId, helium } = context;
  const keys = await readUnconfirmed(helium.pool, stateId, upTo, maxRecords);
  const missing = await readWaiting(helium.pool, stateId, maxRecords);
  const isAsked = keys.length + missing.length === 0 || echoes.mayAsk();
  const objects = isAsked ? await readObjects(active, keys, missing) : null;
  const unsettled = await withLockedState(context, async (db) => {
    // What Journey has reported as missing since then is left to the next check.
    if (echoes.isPastMissing) await retryWaiting(db, stateId, missing);
    if (objects === null) return null;
    const isWaiting = await settleFound(context, db, missing, objects);
    const missingSinceMs = isWaiting ? echoes.missingAtMs : null;
    await removeSuperseded(db, stateId, getMinPastAgeMs(echoes.getProofSoFar(context.journey.nowMs())));
    const settled = await settleAll(active, db, keys, objects);
    await closeCalls(db, stateId);
    return { ...settled, behindSinceMs: minOf(settled.behindSinceMs, missingSinceMs) };
  });
  if (unsettled) {
    report(active, unsettled.behindSinceMs);
    echoes.settle(upTo, unsettled);
    if (keys.length === maxRecords || missing.length === maxRecords) echoes.expectEchoes();
  } else echoes.postpone();
  active.toJourney.wake();
}

/** Returns Journey's objects where they decide, without the columns that could not be read. */
async function readObjects(
  { context, run }: ActiveRun,
  keys: readonly RecordKey[],
  missing: readonly RecordKey[],
): Promise<KeyMap<Fields | null>> {
  const objects = new KeyMap<Fields | null>();
  const { helium, stateId, journey } = context;
  const records = await readRecords(helium.pool, stateId, [...keys, ...missing]);
  const unclear = [...keys.filter((key) => needsObject(records.get(key))), ...missing].filter(({ table }) =>
    expectsEcho(context, table),
  );
  for (const table of new Set(unclear.map(({ table }) => table))) {
    const map = findObjectMap(context, table);
    if (!map) continue;
    const ids = unclear.filter((key) => key.table === table).map(({ id }) => id);
    const entries = await run.withSlot(() => journey.listByIds(map, ids, run.signal));
    for (const id of ids) objects.set({ table, id }, null);
    for (const { key, fields } of entries) {
      const known = records.get(key);
      objects.set(key, fields && adoptFiles(map.fields, fields, [expectedFields(known), known.journey]));
    }
  }
  return objects;
}

/**
 * Ends the wait for the op-log where Journey has the missing record as it is known: a device has
 * created it again, and the op-log had shown that before Journey answered.
 *
 * @returns whether some are still waiting
 */
async function settleFound(
  { stateId }: SyncContext,
  db: Db,
  missing: readonly RecordKey[],
  objects: KeyMap<Fields | null>,
): Promise<boolean> {
  const records = await readRecords(db, stateId, missing);
  const waiting = missing.filter((key) => records.get(key).missing === 'waits');
  const found = waiting.filter((key) => {
    const object = objects.get(key) ?? null;
    return object !== null && areFieldsEqual(object, records.get(key).journey);
  });
  await saveRecords(
    db,
    stateId,
    found.map((key) => ({ ...records.get(key), key, missing: null })),
  );
  await markDirty(db, stateId, found);
  return found.length < waiting.length;
}

interface Settled {
  readonly isKept: boolean;
  readonly behindSinceMs: number | null;
}

async function settleAll(
  { context, echoes }: ActiveRun,
  db: Db,
  keys: readonly RecordKey[],
  objects: KeyMap<Fields | null>,
): Promise<Settled> {
  const { stateId } = context;
  const proof = echoes.getProofSoFar(context.journey.nowMs());
  const records = await readRecords(db, stateId, keys);
  const removed: IntentRef[] = [];
  const superseded: IntentRef[] = [];
  const changed: RecordChange[] = [];
  const dirty: RecordKey[] = [];
  let isKept = false;
  let behindSinceMs: number | null = null;
  for (const key of keys) {
    const known = records.get(key);
    const toRef = ({ number }: Intent) => ({ key, number });
    if (!expectsEcho(context, key.table)) {
      // Its changes in Journey are not read any more: what is known is what Journey acknowledged.
      const acknowledged = known.intents.filter(({ stage }) => stage === 'acknowledged');
      removed.push(...acknowledged.map(toRef));
      changed.push({ ...known, key, journey: acknowledged.reduce(applyWrite, known.journey) });
      continue;
    }
    // Looked for and not found in Journey: its values are not known.
    const isWithoutValues = known.missing === 'again';
    const result = settleWrites({ ...known, isWithoutValues }, objects.get(key), (intent) => isPast(intent, proof));
    removed.push(...result.removed.map(toRef));
    superseded.push(...result.superseded.map(toRef));
    if (result.journey !== known.journey)
      changed.push({ ...known, key, journey: result.journey, missing: isWithoutValues ? null : known.missing });
    if (result.isDirty) dirty.push(key);
    if (result.verdict !== 'settled') isKept = true;
    if (result.verdict !== 'behind') continue;
    const first = known.intents.find(({ stage }) => stage === 'acknowledged');
    if (first) behindSinceMs = minOf(behindSinceMs, echoes.getAnsweredAtMs(first.number));
  }
  await removeIntents(db, stateId, removed);
  await supersede(db, stateId, superseded);
  await saveRecords(db, stateId, changed);
  await markDirty(db, stateId, dirty);
  return { isKept, behindSinceMs };
}

function minOf(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

/** Logs that the op-log lags, and that it does no longer. */
function report({ echoes, run, context }: ActiveRun, behindSinceMs: number | null): void {
  if (behindSinceMs !== null && echoes.behindSinceMs === null)
    run.log(
      'WARNING',
      `Journey → Helium: ${describeLag(context.journey.nowMs() - behindSinceMs)}. The records concerned wait for its entries; nothing is sent again.`,
    );
  if (behindSinceMs === null && echoes.behindSinceMs !== null)
    run.log('INFO', "Journey → Helium: Journey's op-log has caught up with what it acknowledged.");
}

/** Describes for operators that Journey's op-log lags. */
export function describeLag(lagMs: number): string {
  return `Journey's op-log is ${Math.max(1, Math.round(lagMs / 1000))} s behind what it acknowledged`;
}
