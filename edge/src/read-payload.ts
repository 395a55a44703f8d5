import type * as z from 'zod/mini';
import { InvalidPayload } from './problems.ts';
import { findUnknownFields } from './unknown-fields.ts';

/**
 * Validates a payload against the contract. Throws InvalidPayload with an error per field for wrong
 * types, missing fields, and fields that the contract does not name, except those in `beyond`,
 * which the caller of this function reads itself.
 */
export function readPayload<T>(schema: z.ZodMiniType<T>, sent: unknown, beyond: readonly string[] = []): T {
  const payload = sent ?? {};
  const result = schema.safeParse(payload);
  const unknown = findUnknownFields(schema, payload).filter(({ field }) => !beyond.includes(field));
  if (result.success && unknown.length === 0) return result.data;
  const fields = new Map<string, string>();
  for (const { path, message } of result.error?.issues ?? []) {
    const field = path.join('.') || 'payload';
    if (!fields.has(field)) fields.set(field, message);
  }
  for (const { field, reason } of unknown) fields.set(field, reason);
  throw new InvalidPayload(Object.fromEntries(fields));
}
