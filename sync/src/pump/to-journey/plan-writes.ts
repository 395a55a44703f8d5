/**
 * Which writes to Journey a page of dirty records comes to; they are remembered as intents in the
 * same transaction.
 */

import type { Db } from '../../helium/helium-gateway.ts';
import type { JourneyWrite } from '../../journey/journey-gateway.ts';
import type { Fields } from '../../record/fields.ts';
import type { RecordKey } from '../../record/record-key.ts';
import { writeForJourney } from '../../record/record-state.ts';
import { readHeld, release, wake } from '../../sync-state/held-records.store.ts';
import { addIntents, type IntentRef } from '../../sync-state/intents.store.ts';
import { type KnownRecord, readRecords, saveRecords } from '../../sync-state/records.store.ts';
import { readRowsByKey } from '../shared/read-rows-by-key.ts';
import { hasEcho, type SyncContext } from '../shared/sync-context.ts';

export interface Planned {
  readonly key: RecordKey;
  readonly method: JourneyWrite['method'];
  readonly fields: Fields;
  readonly helium: Fields | null;
  readonly known: KnownRecord;
  /** 0 where no echo is expected. */
  readonly intentNumber: number;
  readonly wasHeld: boolean;
}

export interface Plan {
  /** Parents before children; deletions after everything else, children before parents. */
  readonly planned: readonly Planned[];
  /** Whether records that Journey had refused are sent again, or need not be any more. */
  readonly hadHeld: boolean;
  /**
   * Number of the call its intents belong to; null where no echo is expected, then none was opened.
   */
  readonly call: number | null;
}

/** Those that were remembered. */
export function intentsOf(planned: readonly Planned[]): IntentRef[] {
  return planned.flatMap(({ key, intentNumber }) => (intentNumber > 0 ? [{ key, number: intentNumber }] : []));
}

export async function planWrites(
  context: SyncContext,
  db: Db,
  keys: readonly RecordKey[],
  call: number,
): Promise<Plan> {
  if (keys.length === 0) return { planned: [], hadHeld: false, call: null };
  const rows = await readRowsByKey(context, db, keys, false);
  const records = await readRecords(db, context.stateId, keys);
  const held = await readHeld(db, context.stateId, keys);
  const found: Omit<Planned, 'intentNumber'>[] = [];
  const settled: RecordKey[] = [];
  let hadHeld = false;
  for (const key of keys) {
    const wasHeld = held['helium-to-journey'].has(key);
    hadHeld ||= wasHeld;
    // What Journey says of it could not be written here yet: sending our row would take that back.
    if (held['journey-to-helium'].has(key)) continue;
    const helium = rows.get(key)?.fields ?? null;
    const known = records.of(key);
    const write = writeForJourney(known, helium);
    if (write) found.push({ key, method: write.method, fields: write.fields, helium, known, wasHeld });
    else if (wasHeld) settled.push(key);
  }
  await release(db, context.stateId, 'helium-to-journey', settled);
  const planned = found.length === 0 ? [] : await remember(context, db, inOrder(context, found), call);
  return { planned, hadHeld, call: planned.some(({ intentNumber }) => intentNumber > 0) ? call : null };
}

async function remember(
  context: SyncContext,
  db: Db,
  found: readonly Omit<Planned, 'intentNumber'>[],
  call: number,
): Promise<Planned[]> {
  const echoing = found.filter(({ key }) => hasEcho(context, key.table));
  const intents = echoing.map(({ key, method, fields, known }) => ({ key, method, fields, before: known.intents }));
  const numbers = echoing.length > 0 ? await addIntents(db, context.stateId, call, intents) : [];
  const numberByWrite = new Map(echoing.map((one, index) => [one, numbers[index] ?? 0]));
  // Not later: killed after the call, the next run may find nothing left to send.
  const put = found.filter(({ method }) => method === 'put');
  await wake(
    db,
    context.stateId,
    put.map(({ key }) => key),
  );
  const deleted = found.filter(({ method }) => method === 'delete');
  await saveRecords(
    db,
    context.stateId,
    deleted.map(({ key, known }) => ({ ...known, key, deletedAtMs: Date.now() })),
  );
  return found.map((one) => ({ ...one, intentNumber: numberByWrite.get(one) ?? 0 }));
}

function inOrder<One extends Pick<Planned, 'key' | 'method'>>(context: SyncContext, found: readonly One[]): One[] {
  const place = new Map(context.mapping.objects.map(({ table }, index) => [table, index + 1]));
  const rank = ({ key, method }: One) => {
    const at = place.get(key.table) ?? 0;
    return method === 'delete' ? 1_000_000 - at : at;
  };
  return [...found].sort((a, b) => rank(a) - rank(b));
}
