/**
 * Holds what the engine knows of one record, and derives from it what to send and what is an echo.
 *
 *   journey ── intent 1 ── intent 2 ──▶ expected: what Journey holds when our writes have landed
 *      ▲
 *      the record after the last op-log entry that was read
 *
 * An intent is one of our writes to Journey, saved before it is sent. It is removed when its echo
 * comes back in the op-log, or when the op-log was read to its end after Journey had acknowledged
 * it: then it changed nothing there.
 */
import { type Fields, isEmpty, sameFields, type Value } from './fields.ts';

export interface Intent {
  /** Grows with time. */
  readonly number: number;
  readonly method: 'put' | 'patch' | 'delete';
  /** Whole for put, the changed ones for patch, empty for delete. */
  readonly fields: Fields;
  /**
   * - sent: not known whether Journey applied it
   * - acknowledged: Journey confirmed it
   * - ghost: sent, never acknowledged, and replaced by another since; it may still land, late
   */
  readonly stage: 'sent' | 'acknowledged' | 'ghost';
}

export interface RecordState {
  /** null: Journey has no such record. */
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

/** Returns what Journey will hold when all our writes land, also the unacknowledged. */
export function expectedFields({ journey, intents }: RecordState): Fields | null {
  return intents.filter(({ stage }) => stage !== 'ghost').reduce(afterWrite, journey);
}

/** Returns what Journey will hold when only the writes land that it has acknowledged. */
function acknowledgedFields({ journey, intents }: RecordState): Fields | null {
  return intents.filter(({ stage }) => stage === 'acknowledged').reduce(afterWrite, journey);
}

/**
 * Returns what to send so that Journey holds what Helium does; null when nothing. A write that was
 * sent and never acknowledged may have landed or not, so what is sent overwrites it in both cases.
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

/** Returns Helium's values that differ; a column that was never synced counts as empty. */
function changedValues(before: Fields, helium: Fields): Fields {
  const changed: Record<string, Value> = {};
  for (const column in helium) {
    const value = helium[column] ?? null;
    if (value !== (before[column] ?? null)) changed[column] = value;
  }
  return changed;
}

/** Returns Helium's values of every column that these writes may have changed. */
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
 * Returns the one of our writes that turned `before` into `after`, if one did. Consecutive states
 * of the op-log show what one write did, so a foreign edit between two of our writes is never
 * mistaken for one of them, nor the reverse.
 */
export function findOwnWrite(
  before: Fields | null,
  after: Fields | null,
  intents: readonly Intent[],
): Intent | undefined {
  // Only columns that are not synced have changed; we never write those.
  if (sameFields(before, after)) return undefined;
  // Writes land in the order they were sent in, so the next echo is that of the first one that
  // changes anything. A ghost may land at any time.
  const next = intents.find((one) => one.stage !== 'ghost' && !sameFields(afterWrite(before, one), before));
  if (next && sameFields(afterWrite(before, next), after)) return next;
  return intents.find((one) => one.stage === 'ghost' && sameFields(afterWrite(before, one), after));
}

/**
 * Returns the intents that are left when the echo of one has come. Older acknowledged ones changed
 * nothing, or their echoes would have come before.
 */
export function crossOff(intents: readonly Intent[], seen: Intent): Intent[] {
  if (seen.stage === 'ghost') return intents.filter((one) => one !== seen);
  return intents.filter((one) => one.number > seen.number || one.stage === 'ghost');
}
