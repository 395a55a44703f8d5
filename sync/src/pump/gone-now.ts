import type { RecordKey } from '../engine/record-key.ts';
import type { JourneyEntry } from '../journey/journey-end.ts';

/** As if the op-log had said that Journey does not have it any more. */
export function goneNow(key: RecordKey): JourneyEntry {
  return { sequence: '0', key, operation: 'delete', fields: null, changedAtMs: Date.now() };
}
