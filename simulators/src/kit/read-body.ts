import type { z } from 'zod';
import type { ErrorStyle } from './error-style.ts';
import { plainTextErrors } from './plain-text-errors.ts';

/** Returns the body in its shape, or throws an error that describes what is wrong with it. */
export function readBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  errors: ErrorStyle = plainTextErrors,
): z.output<Schema> {
  const result = schema.safeParse(body);
  if (!result.success) throw errors.invalid(result.error);
  return result.data;
}
