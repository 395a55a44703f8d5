/** Sends planned writes, with the bytes of their files, in as many calls as the files need. */

import type { JourneyOutcome, JourneyWrite } from '../../journey/journey-gateway.ts';
import { toBlobValue } from '../../journey/known-attachments.ts';
import { nameFile } from '../../mapping/file-values.ts';
import type { HeliumBlob } from '../../record/blob.ts';
import { type Fields, getValue } from '../../record/fields.ts';
import { KeyMap, type RecordKey } from '../../record/record-key.ts';
import { hasBlob } from '../shared/has-blob.ts';
import { findObjectMap, type SyncContext } from '../shared/sync-context.ts';
import type { PlannedWrite } from './plan-writes.ts';

/** Keeps a page of photos from becoming one huge call, or from being in memory at once. */
const maxBlobBytesPerCall = 8 * 1024 * 1024;

export interface SendResult {
  readonly outcomes: KeyMap<JourneyOutcome>;
  /** Records whose blobs changed since they were planned. They must be checked again. */
  readonly changed: RecordKey[];
}

export async function sendPlannedWrites(context: SyncContext, planned: readonly PlannedWrite[]): Promise<SendResult> {
  const outcomes = new KeyMap<JourneyOutcome>();
  const changed: RecordKey[] = [];
  let call: JourneyWrite[] = [];
  let bytes = 0;
  const flush = async () => {
    if (call.length === 0) return;
    context.checkLease();
    const results = await context.journey.send(context.mapping, call, context.signal);
    for (const [index, { key }] of call.entries()) {
      const result = results[index];
      if (result) outcomes.set(key, result);
    }
    call = [];
    bytes = 0;
  };
  for (const { key, method, fields, keptFiles } of planned) {
    const write = { key, method, fields, ...(keptFiles && { keptFiles }) };
    if (!hasBlob(context, key, fields)) {
      call.push(write);
      continue;
    }
    const blobs = await readBlobs(context, key, fields);
    if (blobs === 'changed') {
      changed.push(key);
      continue;
    }
    const size = Object.values(blobs).reduce((sum, blob) => sum + blob.bytes.length, 0);
    if (bytes + size > maxBlobBytesPerCall) await flush();
    call.push({ ...write, blobs });
    bytes += size;
  }
  await flush();
  return { outcomes, changed };
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
