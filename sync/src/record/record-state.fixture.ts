/** What the state stores do in SQL, for tests without a database. */
import type { Intent, RecordState } from './record-state.ts';

export const unknownRecord: RecordState = { journey: null, intents: [], deletedAtMs: null };

/**
 * The intents when another is sent: those that were never acknowledged will not be asked after any
 * more.
 */
export function withIntent(intents: readonly Intent[], added: Intent): Intent[] {
  return [...intents.map((one) => (one.stage === 'sent' ? { ...one, stage: 'ghost' as const } : one)), added];
}
