/** Records that were not synced normally: those on hold, and those that both sides changed. */
import * as z from 'zod/mini';

export const directionSchema = z.enum(['helium-to-journey', 'journey-to-helium']);
export type SyncDirection = z.infer<typeof directionSchema>;

/**
 * waiting: retried soon without anyone acting, for example because another session has locked the
 * row; parked: waits for another record; dead: rejected until an operator acts or the record
 * changes; skipped: intentionally not synced until the record changes.
 */
export const heldStateSchema = z.enum(['waiting', 'parked', 'dead', 'skipped']);
export type HeldState = z.infer<typeof heldStateSchema>;

export const heldRecordSchema = z.object({
  /** Identifies the record for retry and skip. */
  no: z.string(),
  direction: directionSchema,
  state: heldStateSchema,
  table: z.string(),
  id: z.string(),
  /** Groups records with the same error, for "retry all like this". */
  kind: z.string(),
  reason: z.string(),
  /**
   * The records it waits for, each as `{table}/{id}`: missing parents, or those that have the values
   * of its unique keys.
   */
  missing: z.array(z.string()),
  attempts: z.number(),
  since: z.string(),
  lastTried: z.string(),
  /** When it is retried without anyone acting; null if it is not. */
  nextAttempt: z.nullable(z.string()),
  /** The values on each side, as far as known. */
  helium: z.nullable(z.record(z.string(), z.unknown())),
  journey: z.nullable(z.record(z.string(), z.unknown())),
});
export type HeldRecord = z.infer<typeof heldRecordSchema>;

/** A file of Journey that Helium does not have yet. Its record is synced without it. */
export const waitingFileSchema = z.object({
  /** Identifies it for a retry or a skip. */
  no: z.string(),
  table: z.string(),
  id: z.string(),
  column: z.string(),
  /**
   * announced: Journey does not have it yet; uploaded: it is downloaded; downloaded: it cannot be
   * written to Helium yet.
   */
  state: z.enum(['announced', 'uploaded', 'downloaded']),
  /** Journey's id of the attachment. */
  journeyId: z.string(),
  reason: z.string(),
  /** Attempts that failed. */
  attempts: z.number(),
  since: z.string(),
  /** null while it is skipped. */
  nextAttempt: z.nullable(z.string()),
});
export type WaitingFile = z.infer<typeof waitingFileSchema>;

/** All conflicts are kept and listed; a count beyond this means that there are more. */
export const maxCountedConflicts = 100_000;

/** A file that lost a conflict, and is kept with it for some time. */
const keptFileSchema = z.object({
  /** Identifies it for a download or a restore. */
  no: z.string(),
  column: z.string(),
  /** The side that lost it. */
  side: z.enum(['helium', 'journey']),
  fileName: z.string(),
  /** As its side stated it; '' when it did not. */
  mediaType: z.string(),
  /** In bytes. */
  size: z.number(),
});
export type KeptFile = z.infer<typeof keptFileSchema>;

export const conflictSchema = z.object({
  no: z.string(),
  at: z.string(),
  table: z.string(),
  id: z.string(),
  /** null if one side deleted the record that the other edited. */
  column: z.nullable(z.string()),
  helium: z.unknown(),
  journey: z.unknown(),
  /** While it is open: who will win. */
  winner: z.enum(['helium', 'journey']),
  /** Why nothing was overwritten yet; null once it is decided. */
  open: z.nullable(z.string()),
  /** The files that it overwrote. */
  files: z.array(keptFileSchema),
});
export type SyncConflict = z.infer<typeof conflictSchema>;
