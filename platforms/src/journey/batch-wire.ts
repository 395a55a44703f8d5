/** The response to a batch, as lenient as Journey's official client. */
import { z } from 'zod';

const textOrNull = z.string().nullable().default(null);

/** Why an operation was refused; any part may be missing. */
const JourneyRefusal = z.union([
  z.object({ type: textOrNull, title: textOrNull, detail: textOrNull }),
  z.string().transform((detail) => ({ type: null, title: null, detail })),
]);
export type JourneyRefusal = z.infer<typeof JourneyRefusal>;

interface OperationResult {
  /** In lower case; null when the result does not repeat it. */
  readonly method: string | null;
  readonly object: Readonly<Record<string, unknown>>;
}

export type JourneyOperationResult =
  | (OperationResult & { readonly success: true })
  | (OperationResult & { readonly success: false; readonly error: JourneyRefusal })
  /** Journey did not run it, because of another operation. */
  | (OperationResult & { readonly success: 'skipped' });

/** An operation succeeded unless its result says otherwise: official clients read `error` only. */
export const JourneyOperationResult = z
  .object({
    success: z.boolean().nullish(),
    skipped: z.boolean().nullish(),
    method: textOrNull,
    object: z.looseObject({}).nullish(),
    error: JourneyRefusal.nullish(),
  })
  .transform(({ success, skipped, method, object, error }): JourneyOperationResult => {
    const result = { method: method?.toLowerCase() ?? null, object: object ?? {} };
    if (error) return { ...result, success: false, error };
    if (skipped === true) return { ...result, success: 'skipped' };
    if (success !== false) return { ...result, success: true };
    return { ...result, success, error: { type: null, title: null, detail: null } };
  });

export const JourneyBatchResponse = z.object({ operations: z.array(JourneyOperationResult) });
