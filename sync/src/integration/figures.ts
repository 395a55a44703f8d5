import { z } from 'zod';

const epochMs = z.number().nullable();

/** What a run tells of itself, for lists and metrics; kept when it ends. */
export const figuresSchema = z.object({
  /** What each direction is doing, in words. */
  heliumSyncStatus: z.string().default('Not started yet'),
  journeySyncStatus: z.string().default('Not started yet'),
  /** Last change carried over from that side. */
  heliumLastUpdatedMs: epochMs.default(null),
  journeyLastUpdatedMs: epochMs.default(null),
  /** When both platforms had last answered. */
  lastPingedMs: epochMs.default(null),
  /** When the oldest change came up that has yet to be carried over; null when none waits. */
  heliumToJourneyWaitingSinceMs: epochMs.default(null),
  journeyToHeliumWaitingSinceMs: epochMs.default(null),
  /** Last change-log and op-log versions processed: decimal digits. */
  changeLogVersion: z.string().default('0'),
  oplogVersion: z.string().default('0'),
  deadLetters: z.number().default(0),
  parked: z.number().default(0),
  conflicts: z.number().default(0),
  /** Who keeps the change log from being read further, in words. */
  horizonHeldBy: z.string().nullable().default(null),
  /** Records carried over since the run began. */
  syncedToJourney: z.number().default(0),
  syncedToHelium: z.number().default(0),
});
export type Figures = Readonly<z.infer<typeof figuresSchema>>;
