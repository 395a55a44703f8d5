/** An integration as shown in lists: status, health and progress. */
import * as z from 'zod/mini';
import { versionSchema } from './sync-config.ts';

export const syncStatusSchema = z.enum(['Enabled', 'Disabled', 'Halted']);
export type SyncStatus = z.infer<typeof syncStatusSchema>;

/**
 * Whether an enabled integration works, by the age of its oldest pending change and of its last
 * contact.
 */
const syncHealthSchema = z.enum(['Fresh', 'Late', 'Stale', 'Idle']);
export type SyncHealth = z.infer<typeof syncHealthSchema>;

/**
 * The thresholds behind the health, shown beside it. With 1,000 idle integrations on a host, each
 * one is polled every 100 s.
 */
export const syncHealthRule = { lateAfterMs: 120_000, staleAfterMs: 600_000 } as const;

/**
 * Returns the health. Fresh: both sides responded within two minutes, and no change has waited
 * longer. Late: within ten minutes. Idle: not enabled.
 */
export function getSyncHealth(facts: {
  status: SyncStatus;
  lastPingedMs: number | null;
  lagMs: number;
  nowMs: number;
}): SyncHealth {
  if (facts.status !== 'Enabled') return 'Idle';
  const idleMs = facts.lastPingedMs === null ? Number.POSITIVE_INFINITY : facts.nowMs - facts.lastPingedMs;
  const worstMs = Math.max(idleMs, facts.lagMs);
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
  /** The state of each direction: 'Live', 'Reading everything: farmer, 12,000 of 40,000', 'Off'. */
  heliumSyncStatus: z.string(),
  journeySyncStatus: z.string(),
  /** Epoch milliseconds of the last change synced from that side. */
  heliumLastUpdated: millis,
  journeyLastUpdated: millis,
  /** Epoch milliseconds of the last response from both platforms. */
  lastPinged: millis,
  journeyUserName: z.string(),
  journeyPassword: z.string(),
  health: syncHealthSchema,
  /** Age of the oldest pending change per direction; 0 if there is none. */
  heliumToJourneyLagMs: z.number(),
  journeyToHeliumLagMs: z.number(),
  /** Why and since when (ISO) the integration is halted. */
  haltReason: z.nullable(z.string()),
  haltedSince: z.nullable(z.string()),
  /** Whether it cannot continue until an operator answers the question of `getRecovery`. */
  needsDecision: z.boolean(),
  /** Last processed change-log and op-log versions. */
  changeLogVersion: versionSchema,
  oplogVersion: versionSchema,
  /** Records that are not synced at the moment, by `HeldState`. */
  waiting: z.number(),
  parked: z.number(),
  deadLetters: z.number(),
  skipped: z.number(),
  conflicts: z.number(),
  /** What blocks further reading of the change log, as text; null if nothing does. */
  horizonHeldBy: z.nullable(z.string()),
  changedAt: z.string(),
  changedBy: z.string(),
});
export type SyncIntegration = z.infer<typeof syncIntegrationSchema>;
