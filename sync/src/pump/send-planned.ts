/** Sends what was planned, with the bytes of its files, in as many calls as these need. */
import { createHash } from 'node:crypto';
import type { Fields } from '../engine/fields.ts';
import { KeyMap, type RecordKey } from '../engine/record-key.ts';
import type { HeliumBlob } from '../helium/helium-end.ts';
import type { JourneyOutcome, JourneyWrite } from '../journey/journey-end.ts';
import type { Planned } from './plan-writes.ts';
import { mapOf, type Pump } from './pump.ts';

/** So that a page of photos is neither one call of gigabytes nor held in memory at once. */
const BLOB_BYTES_PER_CALL = 8 * 1024 * 1024;

export interface Answers {
  readonly outcomes: KeyMap<JourneyOutcome>;
  /** Whose blobs are no longer those that were read: to be looked at again. */
  readonly changed: RecordKey[];
}

export async function sendPlanned(pump: Pump, planned: readonly Planned[]): Promise<Answers> {
  const outcomes = new KeyMap<JourneyOutcome>();
  const changed: RecordKey[] = [];
  let call: JourneyWrite[] = [];
  let bytes = 0;
  const flush = async () => {
    if (call.length === 0) return;
    pump.checkLease();
    const answers = await pump.journey.send(pump.mapping, call, pump.signal);
    for (const [index, { key }] of call.entries()) {
      const answer = answers[index];
      if (answer) outcomes.set(key, answer);
    }
    call = [];
    bytes = 0;
  };
  for (const { key, method, fields } of planned) {
    if (!namesBlob(pump, key, fields)) {
      call.push({ key, method, fields });
      continue;
    }
    const blobs = await readBlobs(pump, key, fields);
    if (blobs === 'changed') {
      changed.push(key);
      continue;
    }
    const size = Object.values(blobs).reduce((sum, blob) => sum + blob.bytes.length, 0);
    if (bytes + size > BLOB_BYTES_PER_CALL) await flush();
    call.push({ key, method, fields, blobs });
    bytes += size;
  }
  await flush();
  return { outcomes, changed };
}

export function namesBlob(pump: Pump, { table }: RecordKey, fields: Fields): boolean {
  for (const { column, kind } of mapOf(pump, table)?.fields ?? []) {
    if (kind === 'blob' && fields[column] != null) return true;
  }
  return false;
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
