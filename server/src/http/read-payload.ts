import type * as z from 'zod/mini';
import { InvalidPayload } from './problems.ts';

/**
 * Checks what was sent against the contract: a wrong type or a missing field is refused with a word
 * per field; fields the contract does not know are left out, because older and newer pages may send
 * more.
 */
export function readPayload<T>(schema: z.ZodMiniType<T>, sent: unknown): T {
  const result = schema.safeParse(sent ?? {});
  if (result.success) return result.data;
  const fields: Record<string, string> = {};
  for (const { path, message } of result.error.issues) fields[path.join('.') || 'payload'] ??= message;
  throw new InvalidPayload(fields);
}
