/** The difference between the two sides of an integration at each full comparison. */
import * as z from 'zod/mini';

export const driftPointSchema = z.object({
  table: z.string(),
  at: z.string(),
  /** Number of records on each side before any repair. */
  helium: z.number(),
  journey: z.number(),
  /** Records that differed although no change was pending; they were repaired. */
  drifted: z.number(),
  /** Records that count as different because they were on hold: waiting, parked, dead or skipped. */
  held: z.number(),
});
export type DriftPoint = z.infer<typeof driftPointSchema>;
