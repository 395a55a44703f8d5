/** How far both sides of an integration were apart, each time they were compared whole. */
import * as z from 'zod/mini';

export const driftPointSchema = z.object({
  table: z.string(),
  at: z.string(),
  /** How many records each side had, before anything was mended. */
  helium: z.number(),
  journey: z.number(),
  /** Records that differed though everything had been carried over: mended. */
  drifted: z.number(),
});
export type DriftPoint = z.infer<typeof driftPointSchema>;
