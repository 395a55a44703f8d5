import * as z from 'zod/mini';

/**
 * The body of every answer that is not a success. `message` is a sentence for people; `requestId`
 * finds the matching line in the server's log. `actions` is what a failed grant had done before it
 * was rolled back.
 */
export const problemSchema = z.object({
  title: z.optional(z.string()),
  message: z.string(),
  requestId: z.string(),
  /**
   * Machine-readable kind, stable: 'invalid', 'not-signed-in', 'refused', 'conflict', 'not-found',
   * 'unreachable', 'too-many', 'bug'.
   */
  kind: z.string(),
  /** Per field, what is wrong with it. */
  fields: z.optional(z.record(z.string(), z.string())),
  actions: z.optional(z.array(z.string())),
});
export type Problem = z.infer<typeof problemSchema>;
