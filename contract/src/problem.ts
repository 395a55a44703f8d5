import * as z from 'zod/mini';

/**
 * The body of every error response. `message` is a sentence for users; `requestId` identifies the
 * matching line in the server's log. `actions` lists what a failed grant had run before its
 * rollback.
 */
export const problemSchema = z.object({
  title: z.optional(z.string()),
  message: z.string(),
  requestId: z.string(),
  /**
   * Stable, machine-readable kind: 'invalid', 'not-signed-in', 'refused', 'conflict', 'not-found',
   * 'unreachable', 'too-many', 'busy', 'bug'. 'busy' is worth repeating after the seconds of the
   * Retry-After header.
   */
  kind: z.string(),
  /** Error messages by field. */
  fields: z.optional(z.record(z.string(), z.string())),
  actions: z.optional(z.array(z.string())),
  /** The part of the portal that cannot be reached, as `/readyz` names it: 'the sync service'. */
  unavailable: z.optional(z.string()),
});
export type Problem = z.infer<typeof problemSchema>;

/** The parts that `/readyz` and problems report as unavailable. */
export const parts = { database: "the portal's database", syncService: 'the sync service' } as const;

/** The part of the response of `/readyz` that concerns users. */
export const readinessSchema = z.object({ unavailable: z.array(z.string()) });
