/** An integration as lists tell of it: its status, how well it does, and how far it is. */
import * as z from 'zod/mini';
import { versionSchema } from './sync-config.ts';

export const syncStatusSchema = z.enum(['Enabled', 'Disabled', 'Halted']);
export type SyncStatus = z.infer<typeof syncStatusSchema>;

/**
 * Whether an enabled integration really works, by the age of what it has yet to carry over and of
 * its last contact.
 */
const syncHealthSchema = z.enum(['Fresh', 'Late', 'Stale', 'Idle']);
export type SyncHealth = z.infer<typeof syncHealthSchema>;

/**
 * The rule behind the health, as it is shown beside it. One of 1,000 quiet integrations of a host
 * is asked every 100 s.
 */
export const syncHealthRule = { lateAfterMs: 120_000, staleAfterMs: 600_000 } as const;

/**
 * Fresh: both sides answered within two minutes and nothing waits longer; Late: within ten; Idle:
 * not enabled.
 */
export function getSyncHealth(of: {
  status: SyncStatus;
  lastPingedMs: number | null;
  lagMs: number;
  nowMs: number;
}): SyncHealth {
  if (of.status !== 'Enabled') return 'Idle';
  const silentMs = of.lastPingedMs === null ? Number.POSITIVE_INFINITY : of.nowMs - of.lastPingedMs;
  const worstMs = Math.max(silentMs, of.lagMs);
  if (worstMs > syncHealthRule.staleAfterMs) return 'Stale';
  return worstMs > syncHealthRule.lateAfterMs ? 'Late' : 'Fresh';
}

export const statusChangeSchema = z.object({
  at: z.string(),
  status: syncStatusSchema,
  /** A user's name, or 'engine'. */
  by: z.string(),
  reason: z.nullable(z.string()),
});

const millis = z.nullable(z.number());

export const syncIntegrationSchema = z.object({
  /** The Helium app's id. */
  id: z.string(),
  appName: z.string(),
  environment: z.string(),
  dataSource: z.string(),
  status: syncStatusSchema,
  heliumBaseUrl: z.string(),
  journeyBaseUrl: z.string(),
  journeyEnvironment: z.string(),
  /**
   * What each direction is doing, in words: 'Live', 'Reading everything: farmer, 12,000 of 40,000',
   * 'Off'.
   */
  heliumSyncStatus: z.string(),
  journeySyncStatus: z.string(),
  /** Epoch milliseconds of the last change carried over from that side. */
  heliumLastUpdated: millis,
  journeyLastUpdated: millis,
  /** Of the last answer of both platforms. */
  lastPinged: millis,
  journeyUserName: z.string(),
  journeyPassword: z.string(),
  health: syncHealthSchema,
  /** Age of the oldest change that waits, per direction; 0 when none does. */
  heliumToJourneyLagMs: z.number(),
  journeyToHeliumLagMs: z.number(),
  /** Why and since when (ISO) it is halted. */
  haltReason: z.nullable(z.string()),
  haltedSince: z.nullable(z.string()),
  /** Last change-log and op-log versions processed. */
  changeLogVersion: versionSchema,
  oplogVersion: versionSchema,
  /** Records that wait for a person or for another record. */
  deadLetters: z.number(),
  parked: z.number(),
  conflicts: z.number(),
  /** Who keeps the change log from being read further, in words; null when nobody does. */
  horizonHeldBy: z.nullable(z.string()),
  changedAt: z.string(),
  changedBy: z.string(),
});
export type SyncIntegration = z.infer<typeof syncIntegrationSchema>;
