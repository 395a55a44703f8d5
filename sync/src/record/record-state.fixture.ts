/** What the state stores do in SQL, for tests without a database. */
import type { Intent, RecordState } from './record-state.ts';

export const unknownRecord: RecordState = { journey: null, intents: [], deletedAtMs: null };

/** Adds an intent; those that were never acknowledged become ghosts. */
export function withIntent(intents: readonly Intent[], added: Intent): Intent[] {
  return [...intents.map((one) => (one.stage === 'sent' ? { ...one, stage: 'ghost' as const } : one)), added];
}
