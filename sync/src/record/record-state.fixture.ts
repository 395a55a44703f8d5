/** Does in memory what the state stores do in SQL. */
import type { Intent, RecordState } from './record-state.ts';

/** Known to be absent in Journey. Nothing known is undefined. */
export const absentRecord: RecordState = {
  journey: null,
  intents: [],
  deletedAtMs: null,
  tstampMs: null,
  edits: null,
};

/** Adds an intent. Earlier ones that were never acknowledged become superseded. */
export function withIntent(intents: readonly Intent[], added: Intent): Intent[] {
  return [...intents.map((one) => (one.stage === 'sent' ? { ...one, stage: 'superseded' as const } : one)), added];
}
