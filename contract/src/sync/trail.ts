/** What happened to a record, kept for 30 days. */
import * as z from 'zod/mini';

/** How long the trail of a record is kept, in days. */
export const trailDays = 30;

const trailEventSchema = z.enum([
  'sent',
  'deleted in Journey',
  'not in Journey',
  'rejected by Journey',
  'waiting for Journey',
  'written',
  'deleted in Helium',
  'merged',
  'unchanged',
  'waiting for Helium',
  'parked',
  'rejected by Helium',
  'skipped',
]);
export type TrailEvent = z.infer<typeof trailEventSchema>;

export const trailEntrySchema = z.object({
  /** ISO */
  at: z.string(),
  event: trailEventSchema,
  /**
   * The version of Helium's change log, or of Journey's op-log, up to which the page was read; null
   * if it did not come from a log.
   */
  version: z.nullable(z.string()),
});
export type TrailEntry = z.infer<typeof trailEntrySchema>;
