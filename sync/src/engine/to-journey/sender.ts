/** Sends planned writes, with the bytes of their files, in as many calls as the files need. */

import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyOutcome, JourneyWrite } from '../../journey/journey-gateway.ts';
import { toBlobValue } from '../../journey/known-attachments.ts';
import { nameFile } from '../../mapping/file-values.ts';
import type { HeliumBlob } from '../../record/blob.ts';
import { type Fields, getValue } from '../../record/fields.ts';
import { KeyMap, type RecordKey } from '../../record/record-key.ts';
import { hasBlob } from '../files/book/has-blob.ts';
import { findObjectMap, type SyncContext } from '../state/context.ts';
import type { PlannedWrite } from './planner/plan-record.ts';
import { getMaxCallSize, judgeCall } from './sender/failed-calls.ts';

/** Keeps a page of photos from becoming one huge call, or from being in memory at once. */
const maxBlobBytesPerCall = 8 * 1024 * 1024;

export interface SendResult {
  readonly outcomes: KeyMap<JourneyOutcome>;
  /** Records whose blobs changed since they were planned. They must be checked again. */
  readonly changed: RecordKey[];
}

/** @param onCall runs before each call that sends some of them */
export async function sendPlannedWrites(
  context: SyncContext,
  planned: readonly PlannedWrite[],
  onCall: () => void,
): Promise<SendResult> {
  const outcomes = new KeyMap<JourneyOutcome>();
  const changed: RecordKey[] = [];
  let call: WriteToSend[] = [];
  let bytes = 0;
  let maxSize = Number.POSITIVE_INFINITY;
  let isAnyCutOff = false;
  const flush = async () => {
    if (call.length === 0) return;
    const results = await sendCall(context, call, isAnyCutOff, onCall);
    for (const [index, write] of call.entries()) {
      const result = results[index];
      if (result) outcomes.set(write.key, result);
      isAnyCutOff ||= write.bytes > 0 && result?.status === 'undecided' && result.fault === 'record';
    }
    call = [];
    bytes = 0;
  };
  for (const { key, method, fields, keptFiles, held, unreadable } of planned) {
    if (unreadable) {
      outcomes.set(key, { status: 'refused', ...unreadable });
      continue;
    }
    const write = { key, method, fields, keptFiles, held };
    const blobs = hasBlob(context, key, fields) ? await readBlobs(context, key, fields) : {};
    if (blobs === 'changed') {
      changed.push(key);
      continue;
    }
    const files = Object.values(blobs);
    const size = files.reduce((sum, blob) => sum + blob.bytes.length, 0);
    const limit = getMaxCallSize(size, held, context.callFailures.get(key));
    if (limit !== maxSize || call.length >= maxSize || bytes + size > maxBlobBytesPerCall) await flush();
    maxSize = limit;
    call.push(files.length === 0 ? { ...write, bytes: 0 } : { ...write, blobs, bytes: size });
    bytes += size;
  }
  await flush();
  return { outcomes, changed };
}

interface WriteToSend extends JourneyWrite, Pick<PlannedWrite, 'held'> {
  /** Of its files. */
  readonly bytes: number;
}

/** Throws when the call failed and is repeated with the page. */
async function sendCall(
  context: SyncContext,
  call: readonly WriteToSend[],
  isAnotherCut: boolean,
  onCall: () => void,
): Promise<readonly JourneyOutcome[]> {
  const { journey, mapping, callFailures, signal } = context;
  const keys = call.map(({ key }) => key);
  context.checkLease();
  try {
    const results = await journey.send(mapping, call, signal, onCall);
    callFailures.recordSuccess(keys);
    return results;
  } catch (error) {
    const isUnclear = error instanceof JourneyProblem && error.mayBeApplied;
    if (!isUnclear || !(await journey.isAnsweringWrites(signal))) throw error;
    callFailures.recordFailure(keys);
    const failed = call.map(({ key, bytes, held }) => ({ bytes, held, suspicion: callFailures.get(key) }));
    const outcome = judgeCall(failed, { isAnotherCut, problem: error });
    if (!outcome) throw error;
    return call.map(() => outcome);
  }
}

async function readBlobs(
  context: SyncContext,
  key: RecordKey,
  fields: Fields,
): Promise<Record<string, HeliumBlob> | 'changed'> {
  const map = findObjectMap(context, key.table);
  const blobs: Record<string, HeliumBlob> = {};
  for (const field of map?.fields ?? []) {
    const { column, kind } = field;
    const value = getValue(fields, column);
    if (kind !== 'blob' || !map || typeof value !== 'string') continue;
    const blob = await context.helium.readBlob(context.helium.pool, map, key.id, column);
    const named = blob && nameFile(field, blob, toBlobValue(blob.bytes), value);
    if (!named) return 'changed';
    blobs[column] = named;
  }
  return blobs;
}
