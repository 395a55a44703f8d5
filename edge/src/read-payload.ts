import type * as z from 'zod/mini';
import { InvalidPayload } from './problems.ts';

/**
 * Validates a payload against the contract. Wrong types and missing fields are reported per field;
 * unknown fields are dropped, because older and newer pages may send more.
 */
export function readPayload<T>(schema: z.ZodMiniType<T>, sent: unknown): T {
  const result = schema.safeParse(sent ?? {});
  if (result.success) return result.data;
  const fields: Record<string, string> = {};
  for (const { path, message } of result.error.issues) fields[path.join('.') || 'payload'] ??= message;
  throw new InvalidPayload(fields);
}
