import type { TimeoutsDialect } from './dialect.config.ts';
import { readFields, showValue, UnreadableResponse, writeFields } from './fields.ts';
import { isJsonObject } from './json-path.ts';

export const unitsPerMinute = { minutes: 1, seconds: 60, milliseconds: 60_000 } as const;

export interface TimeoutsReading {
  /** By entry point. */
  readonly minutes: Record<string, number>;
  readonly skipped: readonly string[];
}

/** Reads the timeouts of entry points; missing ones are none. */
export function readTimeouts(dialect: TimeoutsDialect, value: unknown): TimeoutsReading {
  const minutes: [string, number][] = [];
  const skipped: string[] = [];
  for (const [entryPoint, timeout] of value === undefined || value === null ? [] : listTimeouts(dialect, value)) {
    if (typeof entryPoint === 'string' && typeof timeout === 'number' && timeout > 0)
      minutes.push([entryPoint, timeout / unitsPerMinute[dialect.unit]]);
    else skipped.push(`timeout of ${showValue(entryPoint)}: ${showValue(timeout)} is not above 0`);
  }
  return { minutes: Object.fromEntries(minutes), skipped };
}

/** Returns the platform's own values. Throws UnreadableResponse if they have another form. */
export function listTimeouts(
  { form, fields }: TimeoutsDialect,
  value: unknown,
): [entryPoint: unknown, timeout: unknown][] {
  if (form === 'object') {
    if (!isJsonObject(value)) throw new UnreadableResponse('the timeouts are not an object (`timeouts.form`)');
    return Object.entries(value);
  }
  if (!Array.isArray(value)) throw new UnreadableResponse('the timeouts are not a list (`timeouts.form`)');
  return value.map((entry) => {
    const { entryPoint, timeout } = readFields(fields, isJsonObject(entry) ? entry : {});
    return [entryPoint, timeout];
  });
}

/**
 * Returns the platform's timeouts after a change, with everything else as it came; null removes the
 * timeout of an entry point.
 */
export function changeTimeouts(
  dialect: TimeoutsDialect,
  current: unknown,
  changes: Readonly<Record<string, number | null>>,
): unknown {
  const { form, fields } = dialect;
  const encoded = Object.entries(changes).map(
    ([entryPoint, minutes]) => [entryPoint, encode(dialect, minutes)] as const,
  );
  if (form === 'object') {
    const kept = Object.entries(isJsonObject(current) ? current : {}).filter(([name]) => !Object.hasOwn(changes, name));
    return Object.fromEntries([...kept, ...encoded.filter(([, timeout]) => timeout !== null)]);
  }
  const before: readonly unknown[] = Array.isArray(current) ? current : [];
  const isOf = (entry: unknown, name: string) => isJsonObject(entry) && readFields(fields, entry).entryPoint === name;
  return encoded.reduce((entries, [entryPoint, timeout]) => {
    if (timeout === null) return entries.filter((entry) => !isOf(entry, entryPoint));
    const write = (entry: unknown) => writeFields(fields, { entryPoint, timeout }, isJsonObject(entry) ? entry : {});
    if (!entries.some((entry) => isOf(entry, entryPoint))) return entries.concat(write({}));
    return entries.map((entry) => (isOf(entry, entryPoint) ? write(entry) : entry));
  }, before);
}

/** Returns only the changes, for a platform that merges objects. */
export function toTimeoutsPatch(dialect: TimeoutsDialect, changes: Readonly<Record<string, number | null>>): unknown {
  return Object.fromEntries(Object.entries(changes).map(([name, minutes]) => [name, encode(dialect, minutes)]));
}

function encode({ unit }: TimeoutsDialect, minutes: number | null): number | null {
  return minutes === null ? null : minutes * unitsPerMinute[unit];
}
