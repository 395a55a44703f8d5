/**
 * What the engine remembers of one record, and what follows from it.
 *
 *   journey ── intent 1 ── intent 2 ──▶ expected: what Journey holds when our writes have landed
 *      ▲
 *      the record after the last op-log entry that was read
 *
 * An intent is one of our writes to Journey, remembered before it is sent. It goes when its echo
 * comes back in the op-log, or when the op-log was read to its end after Journey had acknowledged
 * it: then it changed nothing there.
 */
import { type Fields, isEmpty, sameFields, type Value } from './fields.ts';

export interface Intent {
  /** Grows with time. */
  readonly no: number;
  readonly method: 'put' | 'patch' | 'delete';
  /** Whole for put, the changed ones for patch, empty for delete. */
  readonly fields: Fields;
  /**
   * - sent: nobody knows whether it was carried out
   * - acknowledged: Journey said so
   * - ghost: sent, never acknowledged, and sent anew since; it may still land, late
   */
  readonly stage: 'sent' | 'acknowledged' | 'ghost';
}

export interface RecordState {
  /** null: not there. */
  readonly journey: Fields | null;
  /** Oldest first. */
  readonly intents: readonly Intent[];
  /** When the record was deleted, as far as known; guards against old updates that come late. */
  readonly deletedAtMs: number | null;
}

export function afterWrite(
  before: Fields | null,
  { method, fields }: Pick<Intent, 'method' | 'fields'>,
): Fields | null {
  if (method === 'delete') return null;
  if (method === 'put') return fields;
  return before === null ? null : { ...before, ...fields };
}

/** What Journey will hold when everything of ours has landed, also what was never acknowledged. */
export function expectedFields({ journey, intents }: RecordState): Fields | null {
  return intents.filter(({ stage }) => stage !== 'ghost').reduce(afterWrite, journey);
}

/** What Journey will hold when only what it has acknowledged has landed. */
function acknowledgedFields({ journey, intents }: RecordState): Fields | null {
  return intents.filter(({ stage }) => stage === 'acknowledged').reduce(afterWrite, journey);
}

/**
 * What must be sent so that Journey holds what Helium does; null when nothing must. A write that
 * was sent and never acknowledged may have landed or not, so it is written over in both cases.
 */
export function writeForJourney(state: RecordState, helium: Fields | null): Pick<Intent, 'method' | 'fields'> | null {
  const acknowledged = acknowledgedFields(state);
  const unanswered = state.intents.filter(({ stage }) => stage === 'sent');
  if (helium === null) {
    const mayExist = acknowledged !== null || unanswered.length > 0;
    return mayExist ? { method: 'delete', fields: {} } : null;
  }
  const mayBeDeleted = acknowledged === null || unanswered.some(({ method }) => method === 'delete');
  if (mayBeDeleted) return { method: 'put', fields: helium };
  const changed = { ...changedValues(acknowledged, helium), ...rewrittenValues(unanswered, helium) };
  return isEmpty(changed) ? null : { method: 'patch', fields: changed };
}

/** Where Helium's values differ; a column that was never synced counts as empty. */
function changedValues(before: Fields, helium: Fields): Fields {
  const changed: Record<string, Value> = {};
  for (const column in helium) {
    const value = helium[column] ?? null;
    if (value !== (before[column] ?? null)) changed[column] = value;
  }
  return changed;
}

/** Helium's values of every column that these writes may have changed. */
function rewrittenValues(unanswered: readonly Intent[], helium: Fields): Fields {
  const values: Record<string, Value> = {};
  for (const { fields } of unanswered) {
    for (const column in fields) {
      const value = helium[column];
      if (value !== undefined) values[column] = value;
    }
  }
  return values;
}

/**
 * Which of our writes turned `before` into `after`, if one did. Comparing consecutive states of the
 * op-log shows what one write did, so an edit of somebody else between two of ours is never taken
 * for ours, nor ours for theirs.
 */
export function findOwnWrite(
  before: Fields | null,
  after: Fields | null,
  intents: readonly Intent[],
): Intent | undefined {
  // Of what is not synced we write nothing.
  if (sameFields(before, after)) return undefined;
  // They land in the order they were sent in, so the next echo is that of the first one that
  // changes anything. A ghost may land at any time.
  const next = intents.find((one) => one.stage !== 'ghost' && !sameFields(afterWrite(before, one), before));
  if (next && sameFields(afterWrite(before, next), after)) return next;
  return intents.find((one) => one.stage === 'ghost' && sameFields(afterWrite(before, one), after));
}

/**
 * What is left when the echo of one has come: older acknowledged ones changed nothing, or it would
 * have come before.
 */
export function crossOff(intents: readonly Intent[], seen: Intent): Intent[] {
  if (seen.stage === 'ghost') return intents.filter((one) => one !== seen);
  return intents.filter((one) => one.no > seen.no || one.stage === 'ghost');
}
