/** Single records that did not simply go across: those that wait, and those both sides changed. */
import * as z from 'zod/mini';

export const directionSchema = z.enum(['helium-to-journey', 'journey-to-helium']);
export type SyncDirection = z.infer<typeof directionSchema>;

export const heldRecordSchema = z.object({
  /** For retry and skip. */
  no: z.string(),
  direction: directionSchema,
  /**
   * parked: waits for another record; dead: refused for ever unless somebody acts; skipped: left as
   * it is on purpose.
   */
  state: z.enum(['parked', 'dead', 'skipped']),
  table: z.string(),
  id: z.string(),
  /** Groups those that fail alike, for "retry all like this". */
  kind: z.string(),
  reason: z.string(),
  /** `{table}/{id}` it waits for. */
  missing: z.array(z.string()),
  attempts: z.number(),
  since: z.string(),
  lastTried: z.string(),
  /** What each side says, as far as known. */
  helium: z.nullable(z.record(z.string(), z.unknown())),
  journey: z.nullable(z.record(z.string(), z.unknown())),
});
export type HeldRecord = z.infer<typeof heldRecordSchema>;

export const conflictSchema = z.object({
  no: z.string(),
  at: z.string(),
  table: z.string(),
  id: z.string(),
  /** null: one side deleted the record the other edited. */
  column: z.nullable(z.string()),
  helium: z.unknown(),
  journey: z.unknown(),
  winner: z.enum(['helium', 'journey']),
});
export type SyncConflict = z.infer<typeof conflictSchema>;
