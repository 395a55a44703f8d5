import { z } from 'zod';

const epochMs = z.number().nullable();
const backlog = z.object({ entries: z.number(), since: epochMs }).nullable();

/** An open transaction that others wait for. */
const transactionHolder = z.object({
  /** null for a prepared transaction. */
  pid: z.number().nullable(),
  applicationName: z.string(),
  /** Start of the transaction, ISO. */
  since: z.string(),
});
export type TransactionHolder = Readonly<z.infer<typeof transactionHolder>>;

/**
 * The figures a run reports, for lists and metrics. They are stored, so they remain available after
 * the run ends.
 */
export const figuresSchema = z.object({
  /** Current activity of each direction, as text. */
  heliumSyncStatus: z.string().default('Not started yet'),
  journeySyncStatus: z.string().default('Not started yet'),
  /** When the last change from that side was synced. */
  heliumLastUpdatedMs: epochMs.default(null),
  journeyLastUpdatedMs: epochMs.default(null),
  /** When both platforms last responded. */
  lastPingedMs: epochMs.default(null),
  /** Time of the oldest change that is not synced yet; null when none is waiting. */
  heliumToJourneyWaitingSinceMs: epochMs.default(null),
  journeyToHeliumWaitingSinceMs: epochMs.default(null),
  /** When the last webhook of Journey arrived, and when a change that none had announced did. */
  webhookReceivedMs: epochMs.default(null),
  webhookMissedMs: epochMs.default(null),
  /**
   * When the oldest call to Journey was made that is unanswered for long; null when there is none.
   */
  unansweredSinceMs: epochMs.default(null),
  /** Since when Helium's database does not answer; null while it does. */
  heliumUnansweredSinceMs: epochMs.default(null),
  /** What waits in each log, checked while nothing runs; null when nothing does. */
  changeLogBacklog: backlog.default(null),
  oplogBacklog: backlog.default(null),
  backlogCheckedAtMs: epochMs.default(null),
  /** Names the state that the versions below belong to. */
  stateKey: z.string().default(''),
  /** Last processed versions of the change log and the op-log, as decimal digits. */
  changeLogVersion: z.string().default('0'),
  oplogVersion: z.string().default('0'),
  /** Held records by state. */
  waiting: z.number().default(0),
  parked: z.number().default(0),
  deadLetters: z.number().default(0),
  skipped: z.number().default(0),
  /** Rows that Helium keeps although devices have deleted them. */
  keptRows: z.number().default(0),
  /** The waiting record that has waited longest, with the reason of its last attempt. */
  oldestWaiting: z
    .object({
      direction: z.enum(['helium-to-journey', 'journey-to-helium']),
      object: z.string(),
      id: z.string(),
      reason: z.string(),
      sinceMs: z.number(),
    })
    .nullable()
    .default(null),
  conflicts: z.number().default(0),
  /** Files of Journey that Helium does not have yet. */
  waitingFiles: z.number().default(0),
  /** Those of them that could not be fetched or written. */
  failedFiles: z.number().default(0),
  /** Records with decimals that have more digits in Helium than in Journey. */
  rounded: z.number().default(0),
  /** Records that differ on a side whose changes are not read. */
  differences: z.number().default(0),
  /** What of the data models is not synced but seems meant to be; the first of them, as text. */
  mappingWarnings: z.object({ count: z.number(), first: z.array(z.string()) }).default({ count: 0, first: [] }),
  /** Objects that are not synced until the integration is saved; the first with the reason. */
  pausedObjects: z
    .object({ count: z.number(), first: z.array(z.object({ object: z.string(), reason: z.string() })) })
    .default({ count: 0, first: [] }),
  /**
   * Requests and rows of enrollment that wait; a list of users that could not be written counts as
   * one.
   */
  waitingEnrollment: z.number().default(0),
  /** The transaction that blocks further reading of the change log; null when none does. */
  horizonHolder: transactionHolder.nullable().default(null),
  /** Whether the last run halted with a question that only an operator can answer. */
  needsDecision: z.boolean().default(false),
  /** Records synced since the run started. */
  syncedToJourney: z.number().default(0),
  syncedToHelium: z.number().default(0),
});
export type Figures = Readonly<z.infer<typeof figuresSchema>>;

/** Returns how long the oldest change has waited; 0 if none waits. */
export function toLagMs(waitingSinceMs: number | null, nowMs: number): number {
  return waitingSinceMs === null ? 0 : Math.max(0, nowMs - waitingSinceMs);
}
