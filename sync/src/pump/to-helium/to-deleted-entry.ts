import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import type { RecordKey } from '../../record/record-key.ts';

/** Returns an entry as the op-log would report the record's deletion. */
export function toDeletedEntry(key: RecordKey): JourneyEntry {
  return { sequence: '0', key, operation: 'delete', fields: null, changedAtMs: Date.now() };
}
