import type { JourneyEntry } from '../../../journey/journey-gateway.ts';
import type { RecordKey } from '../../../record/record-key.ts';

/**
 * Returns an entry for a known record that Journey no longer lists. Its deletion is only supposed:
 * it has no time, and loses against any edit in Helium.
 */
export function toDeletedEntry(key: RecordKey): JourneyEntry {
  return { sequence: '0', key, operation: 'delete', fields: null, changedAtMs: null };
}
