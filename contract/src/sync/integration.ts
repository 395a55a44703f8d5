/** Integrations with their status, health and progress, and actions on a whole integration. */
import * as z from 'zod/mini';
import { distinct } from '../distinct.ts';
import { endpoint } from '../endpoint.ts';
import { light } from '../rules.ts';
import { appIdSchema, configProblemSchema, shortTextSchema, syncConfigSchema, versionSchema } from './config.ts';
import { directionSchema } from './records.ts';

const syncStatusSchema = z.enum(['Enabled', 'Disabled', 'Halted']);
export type SyncStatus = z.infer<typeof syncStatusSchema>;

/** How far what the other side shows can be relied on; `getSyncHealth` has the rule. */
const syncHealthSchema = z.enum(['Fresh', 'Late', 'Stale', 'Idle']);
export type SyncHealth = z.infer<typeof syncHealthSchema>;

/**
 * The thresholds behind the health, shown beside it. An idle integration with webhooks is polled
 * every half minute.
 */
export const syncHealthRule = { lateAfterMs: 120_000, staleAfterMs: 600_000 } as const;

/** The only states in which nothing keeps a direction from syncing, apart from being disabled. */
export const workingStates: readonly string[] = ['Live', 'Catching up', 'Off'];

const statusChangeSchema = z.object({
  at: z.string(),
  status: syncStatusSchema,
  /** A user's name, or 'engine'. */
  by: z.string(),
  reason: z.nullable(z.string()),
});

const millis = z.nullable(z.number());

/** How the halt reason starts when Journey rejects the credentials. */
export const refusedPassword = 'Journey refuses the user name and password';

/**
 * What waits in one log: the entries after the last processed version, including those of objects
 * that are not synced. `since` is when the oldest was written or, where that is not known, first
 * seen (epoch milliseconds).
 */
const backlogSchema = z.nullable(z.object({ entries: z.number(), since: millis }));
export type SyncBacklog = z.infer<typeof backlogSchema>;

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
  /** Rows that Helium keeps although devices have deleted them; see `keptRowKind`. */
  keptRows: z.number(),
  conflicts: z.number(),
  /**
   * Files of Journey that Helium does not have yet, and those of them that could not be fetched or
   * written.
   */
  waitingFiles: z.number(),
  failedFiles: z.number(),
  /** Records with decimals that have more digits in Helium than Journey can hold. */
  rounded: z.number(),
  /** Records that differ on a side whose changes are not read, as the last comparison found. */
  differences: z.number(),
  /**
   * Fields that are not synced although both sides have them, and columns that reject new records;
   * the first as text.
   */
  mappingWarnings: z.object({ count: z.number(), first: z.array(z.string()) }),
  /**
   * Objects that are not synced until the integration is saved, because their data model has lost
   * something; the first with the reason.
   */
  pausedObjects: z.object({
    count: z.number(),
    first: z.array(z.object({ object: z.string(), reason: z.string() })),
  }),
  /**
   * Requests and rows of enrollment that wait; a list of users that could not be written counts as
   * one.
   */
  waitingEnrollment: z.number(),
  /**
   * What waits while the integration is halted or disabled, as of the last check of that log, about
   * once a minute; null when nothing waits, or the log was not read yet.
   */
  changeLogBacklog: backlogSchema,
  oplogBacklog: backlogSchema,
  /** What blocks further reading of the change log, as text; null if nothing does. */
  horizonHeldBy: z.nullable(z.string()),
  changedAt: z.string(),
  changedBy: z.string(),
});
export type SyncIntegration = z.infer<typeof syncIntegrationSchema>;

type HealthFacts = Omit<SyncIntegration, 'health'>;

/**
 * Returns the health.
 *
 * - Fresh: enabled, both sides responded within two minutes, no change has waited longer, no
 *   direction is stuck, no record is held, no object is paused, no file failed, and no enrollment waits.
 * - Late: one of these is not true.
 * - Stale: halted, or a side has not responded or a change has waited for ten minutes.
 * - Idle: disabled, and nothing is known to wait.
 */
export function getSyncHealth(facts: HealthFacts, nowMs: number): SyncHealth {
  const { status, lastPinged, heliumToJourneyLagMs, journeyToHeliumLagMs } = facts;
  if (status === 'Halted') return 'Stale';
  if (status === 'Disabled') return isStuck(facts) || isHeldUp(facts) || hasBacklog(facts) ? 'Late' : 'Idle';
  const silentMs = lastPinged === null ? Number.POSITIVE_INFINITY : nowMs - lastPinged;
  const worstMs = Math.max(silentMs, heliumToJourneyLagMs, journeyToHeliumLagMs);
  if (worstMs > syncHealthRule.staleAfterMs) return 'Stale';
  const isLate = worstMs > syncHealthRule.lateAfterMs || isStuck(facts) || isHeldUp(facts);
  return isLate ? 'Late' : 'Fresh';
}

function isStuck({ status, heliumSyncStatus, journeySyncStatus, horizonHeldBy }: HealthFacts): boolean {
  const isWorking = (state: string) => workingStates.includes(state) || state === status;
  return horizonHeldBy !== null || !isWorking(heliumSyncStatus) || !isWorking(journeySyncStatus);
}

function isHeldUp(facts: HealthFacts): boolean {
  const { waiting, parked, deadLetters, skipped, failedFiles, waitingEnrollment, pausedObjects } = facts;
  return waiting + parked + deadLetters + skipped + failedFiles + waitingEnrollment + pausedObjects.count > 0;
}

function hasBacklog(facts: HealthFacts): boolean {
  const { heliumToJourneyLagMs, journeyToHeliumLagMs, changeLogBacklog, oplogBacklog } = facts;
  return changeLogBacklog !== null || oplogBacklog !== null || heliumToJourneyLagMs + journeyToHeliumLagMs > 0;
}

export const listIntegrations = endpoint({
  method: 'POST',
  path: '/list',
  summary: 'List the sync integrations of an environment',
  may: 'sync.view',
  about: {},
  recorded: false,
  cost: light(),
  request: z.object({ environment: z.optional(shortTextSchema) }),
  response: z.array(syncIntegrationSchema),
});

export const getIntegration = endpoint({
  method: 'GET',
  path: '/get/:appId',
  summary: 'Get a sync integration with its configuration',
  may: 'sync.view-or-machine',
  about: { app: 'appId' },
  recorded: false,
  cost: light(),
  request: null,
  response: z.extend(syncIntegrationSchema, { config: syncConfigSchema }),
});

export const revealPassword = endpoint({
  method: 'POST',
  path: '/reveal-password',
  summary: 'Reveal the Journey password of an integration; audited',
  may: 'sync.reveal',
  about: { app: 'appId' },
  recorded: { action: 'sync.reveal-password', description: 'Journey password shown', isReveal: true },
  cost: light(),
  request: z.object({ appId: appIdSchema }),
  response: z.object({ password: z.string() }),
});

/** The maximum number of integrations per environment, since all of them can be selected. */
const maxIntegrations = z.maxLength(10_000);
/** Checks all ids as one list first, because a fault per id would take too long. */
const manyAppIdsSchema = z.pipe(
  z.array(z.unknown()).check(z.minLength(1), maxIntegrations, z.refine(isListOfAppIds, 'must be app ids')),
  z.array(appIdSchema).check(maxIntegrations, distinct()),
);

function isListOfAppIds(list: readonly unknown[]): boolean {
  return list.every((id) => appIdSchema.safeParse(id).success);
}

/** How many integrations are checked at once before they are enabled; more of a call wait. */
export const maxEnabledAtOnce = 5;

/**
 * Enables or disables several integrations at once. A halted one resumes where it stopped. One that
 * could not be saved enabled keeps its status, and so does a halted one with an open question; the
 * message says why. `problems` are those of a save, and `warnings` what a save reports.
 */
export const setEnabled = endpoint({
  method: 'POST',
  path: '/set-enabled',
  summary: 'Enable or disable integrations',
  may: 'sync.change',
  about: { apps: 'appIds' },
  recorded: { action: ['sync.enable', 'sync.disable'], description: 'Integration enabled or disabled' },
  // Disabling never waits for the tests of connections. The sync service limits those.
  cost: light({ maxBodyBytes: 1024 * 1024 }),
  request: z.object({ appIds: manyAppIdsSchema, enabled: z.boolean() }),
  response: z.array(
    z.object({
      appId: z.string(),
      status: syncStatusSchema,
      message: z.string(),
      problems: z.optional(z.array(configProblemSchema)),
      warnings: z.optional(z.string()),
    }),
  ),
});

/** Ends all waits before the next attempt: after failures, and those that Journey requested. */
export const tryNow = endpoint({
  method: 'POST',
  path: '/try-now',
  summary: 'Make the next attempt of an enabled integration now',
  may: 'sync.change',
  about: { app: 'appId' },
  recorded: { action: 'sync.try-now', description: 'Next attempt requested' },
  cost: light(),
  request: z.object({ appId: appIdSchema }),
  response: z.object({ message: z.string() }),
});

export const getStatusHistory = endpoint({
  method: 'GET',
  path: '/status-history/:appId',
  summary: 'List when an integration was saved, enabled, disabled or halted, by whom and why, newest first',
  may: 'sync.view',
  about: { app: 'appId' },
  recorded: false,
  cost: light(),
  request: null,
  response: z.array(statusChangeSchema),
});

export const moveCursorConfirmation = 'MOVE';

export const moveCursor = endpoint({
  method: 'POST',
  path: '/move-cursor',
  summary: 'Resume one direction from another version; 0 reads everything from the beginning',
  may: 'sync.change',
  about: { app: 'appId' },
  recorded: { action: 'sync.move-cursor', description: 'Cursor moved' },
  cost: light(),
  request: z.object({
    appId: appIdSchema,
    direction: directionSchema,
    version: versionSchema,
    confirmation: z.literal(moveCursorConfirmation),
  }),
  response: syncIntegrationSchema,
});
