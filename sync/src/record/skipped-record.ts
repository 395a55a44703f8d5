/**
 * Decides what to do with a change in Helium of a record that an operator skipped, because Helium
 * rejected Journey's state of it. The skip ends for what changes again:
 *
 *   Helium's change is          follows
 *   of a column that only Helium changed      sent to Journey; the record stays skipped
 *   of a column that Journey changed too      a new attempt: both are merged, as a conflict
 *   a deletion, or Journey had deleted it     a new attempt
 */
import { areFieldsEqual, createFields, type Fields, getValue } from './fields.ts';

export interface SkippedRecord {
  /** Journey's last state that Helium has; null when there is none. */
  readonly base: Fields | null;
  /** Helium's row when the record was last tried; null when there was none. */
  readonly tried: Fields | null;
  /** Journey's state that Helium rejected; null for a deletion. */
  readonly journey: Fields | null;
  /** Whether Journey's state is known. A value that Helium cannot store is not. */
  readonly isReadable: boolean;
}

export interface SkippedPlan {
  /** The fields that Journey is to have; null when nothing is sent. */
  readonly send: Fields | null;
  /** Whether Journey's state is merged into Helium's row again. */
  readonly mustTry: boolean;
}

export function planSkipped({ base, tried, journey, isReadable }: SkippedRecord, row: Fields | null): SkippedPlan {
  if (row === null || journey === null || !isReadable) return { send: null, mustTry: !areFieldsEqual(row, tried) };
  const send = Object.assign(createFields(), row);
  let mustTry = false;
  for (const column of Object.keys(row)) {
    const value = getValue(journey, column);
    if (value === getValue(base, column)) continue;
    send[column] = value;
    mustTry ||= row[column] !== getValue(tried, column);
  }
  return { send, mustTry };
}
