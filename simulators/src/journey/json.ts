/**
 * The stored value of a field: plain keys of choices, dates and ids as text, a location as an
 * object.
 */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** An object's contents by field and by `{relation}_id`; null values are omitted. */
export type Contents = Readonly<Record<string, Json>>;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const lowerCaseUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isLowerCaseUuid(value: unknown): value is string {
  return typeof value === 'string' && lowerCaseUuid.test(value);
}
