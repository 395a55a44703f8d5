import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import type { RecordKey } from '../../record/record-key.ts';

/** As if the op-log had said that Journey does not have it any more. */
export function deletedEntry(key: RecordKey): JourneyEntry {
  return { sequence: '0', key, operation: 'delete', fields: null, changedAtMs: Date.now() };
}
