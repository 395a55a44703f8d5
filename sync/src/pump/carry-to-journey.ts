/**
 * Helium → Journey, one page:
 *
 *   dirty keys ─▶ rows as they are now ─▶ differ from what Journey holds or will hold?
 *     ─▶ intents remembered ─▶ one batch ─▶ acknowledged, cursor moved
 *      └────── transaction ──────┘              └──── transaction ────┘
 *
 * Killed in between, the next run finds the cursor where it was and the intents unanswered, and sends the same again.
 */
import { createHash } from 'node:crypto';
import type { Fields } from '../engine/fields.ts';
import { keyText, type RecordKey } from '../engine/record-key.ts';
import { writeForJourney } from '../engine/record-state.ts';
import type { Db, HeliumBlob, HeliumRow } from '../helium/helium-end.ts';
import type { JourneyOutcome, JourneyWrite } from '../journey/journey-end.ts';
import { clearDirty, type DirtyRecord, markDirty } from '../state/dirty-store.ts';
import { hold, readHeld, release, wake } from '../state/held-store.ts';
import {
  acknowledgeIntents,
  addIntents,
  type KnownRecord,
  readRecords,
  removeIntents,
  saveRecords,
} from '../state/record-store.ts';
import { type RunChange, saveRun } from '../state/run-store.ts';
import { hasEcho, inState, mapOf, type Pump } from './pump.ts';

/** What is true once the keys are carried over. */
export interface Done extends RunChange {
  readonly dirty?: readonly DirtyRecord[];
}

interface Planned {
  readonly key: RecordKey;
  readonly method: JourneyWrite['method'];
  readonly fields: Fields;
  readonly helium: Fields | null;
  readonly known: KnownRecord;
  /** 0 where no echo is expected. */
  readonly intentNo: number;
  readonly wasHeld: boolean;
}

/** So that a page of photos is neither one call of gigabytes nor held in memory at once. */
const BLOB_BYTES_PER_CALL = 8 * 1024 * 1024;

export interface Carried {
  readonly sent: number;
  readonly refused: number;
  /** Whether records that Journey had refused were sent again, or need not be any more. */
  readonly hadHeld: boolean;
  /** Number of the last intent that was acknowledged. */
  readonly acknowledged: number;
}

export async function carryToJourney(pump: Pump, keys: readonly RecordKey[], done: Done): Promise<Carried> {
  const mapped = keys.filter(({ table }) => mapOf(pump, table)?.toJourney);
  const { planned, hadHeld } = await inState(pump, async (db) => {
    const plan = mapped.length === 0 ? NOTHING_PLANNED : await planWrites(pump, db, mapped);
    if (plan.planned.length === 0) await finish(pump, db, done);
    return plan;
  });
  if (planned.length === 0) return { sent: 0, refused: 0, hadHeld, acknowledged: 0 };
  const { outcomes, changed } = await send(pump, inOrder(pump, planned));
  const refused = [...outcomes.values()].filter(({ is }) => is === 'refused').length;
  await inState(pump, async (db) => {
    await account(pump, db, planned, outcomes);
    await markDirty(db, pump.run, changed);
    await finish(pump, db, done);
  });
  const acknowledged = Math.max(0, ...planned.map(({ intentNo }) => intentNo));
  return { sent: outcomes.size - refused, refused, hadHeld, acknowledged };
}

async function finish(pump: Pump, db: Db, done: Done): Promise<void> {
  await clearDirty(db, pump.run, done.dirty ?? []);
  await saveRun(db, pump.run, done);
}

interface Plan {
  readonly planned: readonly Planned[];
  readonly hadHeld: boolean;
}

const NOTHING_PLANNED: Plan = { planned: [], hadHeld: false };

async function planWrites(pump: Pump, db: Db, keys: readonly RecordKey[]): Promise<Plan> {
  const rows = await readRows(pump, db, keys);
  const records = await readRecords(db, pump.run, keys);
  const waiting = await readHeld(db, pump.run, 'journey-to-helium', keys);
  const failed = await readHeld(db, pump.run, 'helium-to-journey', keys);
  const hadHeld = failed.size > 0;
  const found: Omit<Planned, 'intentNo'>[] = [];
  const settled: RecordKey[] = [];
  for (const key of keys) {
    // What Journey says of it could not be written here yet: sending our row would take that back.
    if (waiting.has(keyText(key))) continue;
    const helium = rows.get(keyText(key))?.fields ?? null;
    const known = records.of(key);
    const write = writeForJourney(known, helium);
    const wasHeld = failed.has(keyText(key));
    if (write) found.push({ key, ...write, helium, known, wasHeld });
    else if (wasHeld) settled.push(key);
  }
  await release(db, pump.run, 'helium-to-journey', settled);
  if (found.length === 0) return { planned: [], hadHeld };
  const echoing = found.filter(({ key }) => hasEcho(pump, key.table));
  const nos = echoing.length > 0 ? await addIntents(db, pump.run, echoing) : [];
  const noOf = new Map(echoing.map(({ key }, index) => [keyText(key), nos[index] ?? 0]));
  await wake(
    db,
    pump.run,
    found.filter(({ method }) => method === 'put').map(({ key }) => key),
  );
  const deleted = found.filter(({ method }) => method === 'delete');
  await saveRecords(
    db,
    pump.run,
    deleted.map(({ key, known }) => ({ ...known, key, deletedAtMs: Date.now() })),
  );
  return { planned: found.map((one) => ({ ...one, intentNo: noOf.get(keyText(one.key)) ?? 0 })), hadHeld };
}

async function readRows(pump: Pump, db: Db, keys: readonly RecordKey[]): Promise<Map<string, HeliumRow>> {
  const rows = new Map<string, HeliumRow>();
  for (const map of pump.mapping.objects) {
    const ids = keys.filter(({ table }) => table === map.table).map(({ id }) => id);
    if (ids.length === 0) continue;
    for (const row of await pump.helium.readRows(db, map, ids, false)) rows.set(`${map.table}/${row.id}`, row);
  }
  return rows;
}

/** Parents before children; deletions after everything else, children before parents. */
function inOrder(pump: Pump, planned: readonly Planned[]): Planned[] {
  const place = new Map(pump.mapping.objects.map(({ table }, index) => [table, index + 1]));
  const rank = ({ key, method }: Planned) => {
    const at = place.get(key.table) ?? 0;
    return method === 'delete' ? 1_000_000 - at : at;
  };
  return [...planned].sort((a, b) => rank(a) - rank(b));
}

interface Answers {
  readonly outcomes: Map<string, JourneyOutcome>;
  /** Whose blobs are no longer those that were read: to be looked at again. */
  readonly changed: RecordKey[];
}

async function send(pump: Pump, planned: readonly Planned[]): Promise<Answers> {
  const outcomes = new Map<string, JourneyOutcome>();
  const changed: RecordKey[] = [];
  let call: JourneyWrite[] = [];
  let bytes = 0;
  const flush = async () => {
    if (call.length === 0) return;
    pump.checkLease();
    const answers = await pump.journey.send(pump.mapping, call, pump.signal);
    for (const [index, { key }] of call.entries()) {
      const answer = answers[index];
      if (answer) outcomes.set(keyText(key), answer);
    }
    call = [];
    bytes = 0;
  };
  for (const { key, method, fields } of planned) {
    const blobs = await readBlobs(pump, key, fields);
    if (blobs === 'changed') {
      changed.push(key);
      continue;
    }
    const size = Object.values(blobs).reduce((sum, blob) => sum + blob.bytes.length, 0);
    if (bytes + size > BLOB_BYTES_PER_CALL) await flush();
    call.push({ key, method, fields, ...(size > 0 && { blobs }) });
    bytes += size;
  }
  await flush();
  return { outcomes, changed };
}

async function readBlobs(pump: Pump, key: RecordKey, fields: Fields): Promise<Record<string, HeliumBlob> | 'changed'> {
  const map = mapOf(pump, key.table);
  const blobs: Record<string, HeliumBlob> = {};
  for (const { column, kind } of map?.fields ?? []) {
    const hash = fields[column];
    if (kind !== 'blob' || !map || hash === null || hash === undefined) continue;
    const blob = await pump.helium.readBlob(pump.helium.pool, map, key.id, column);
    if (!blob || `sha256:${createHash('sha256').update(blob.bytes).digest('hex')}` !== hash) return 'changed';
    blobs[column] = blob;
  }
  return blobs;
}

/** Writes down what became of each. */
async function account(
  pump: Pump,
  db: Db,
  planned: readonly Planned[],
  outcomes: ReadonlyMap<string, JourneyOutcome>,
): Promise<void> {
  const outcomeOf = ({ key }: Planned) => outcomes.get(keyText(key));
  const done = planned.filter((one) => outcomeOf(one)?.is === 'done');
  const undone = planned.filter((one) => outcomeOf(one)?.is !== 'done');
  await acknowledgeIntents(db, pump.run, refsOf(done));
  await removeIntents(db, pump.run, refsOf(undone));
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
    undone.filter((one) => outcomeOf(one)?.is === 'missing'),
  );
  await release(
    db,
    pump.run,
    'helium-to-journey',
    done.filter(({ wasHeld }) => wasHeld).map(({ key }) => key),
  );
  const holds = undone.flatMap((one) => {
    const outcome = outcomeOf(one);
    if (outcome?.is !== 'refused') return [];
    const { key, helium, known } = one;
    return [
      { key, state: 'dead' as const, kind: outcome.kind, reason: outcome.reason, helium, journey: known.journey },
    ];
  });
  await hold(db, pump.run, 'helium-to-journey', holds);
  for (const { key, reason } of holds) pump.log('SEVERE', `${keyText(key)} is refused by Journey: ${reason}`);
}

const refsOf = (planned: readonly Planned[]) =>
  planned.filter(({ intentNo }) => intentNo > 0).map(({ key, intentNo }) => ({ key, no: intentNo }));

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
