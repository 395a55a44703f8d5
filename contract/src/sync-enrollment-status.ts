/** What enrollment read last, and who waits. */
import * as z from 'zod/mini';

const waitingSchema = z.object({
  /** A request, a row, or what is to be removed: 'Re-enrollment of appuser {id}'. */
  subject: z.string(),
  reason: z.string(),
  /** Failed attempts of a request; null for what each round attempts. */
  attempts: z.nullable(z.number()),
  /** null for the next round. */
  nextAttempt: z.nullable(z.string()),
  /** Whether much would be removed, and an operator has to decide that. */
  needsConsent: z.boolean(),
});
export type EnrollmentWaiting = z.infer<typeof waitingSchema>;

export const enrollmentStatusSchema = z.object({
  /** When the last whole list of users was written; null before the first one. */
  listedAt: z.nullable(z.string()),
  /** What that list had. */
  users: z.number(),
  sessions: z.number(),
  /** Why the last round changed nothing; null if it succeeded. */
  problem: z.nullable(z.string()),
  /** The first hundred of `total`. */
  waiting: z.array(waitingSchema),
  total: z.number(),
});
export type EnrollmentStatus = z.infer<typeof enrollmentStatusSchema>;
