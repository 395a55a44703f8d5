/**
 * The sync service as the page and scripts see it. Its calls are relative to a base that depends on the environment, so
 * an endpoint here has its path behind that base; `syncEndpointsAt` places them.
 */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { enrollmentSchema, enrollmentTypeSchema } from './sync-enrollment.ts';

export const syncBases = ['/sync/api/', '/sync-zm/api/', '/sync-stb/api/'] as const;
export type SyncBase = (typeof syncBases)[number];

/** Where an environment's sync service is. */
export function syncBaseOf(environmentName: string): SyncBase {
  if (environmentName === 'Production') return '/sync/api/';
  if (environmentName === 'Zambia-production') return '/sync-zm/api/';
  return '/sync-stb/api/';
}

/** The socket of a base: `/sync/api/ws`, with `/sync/ws` as its alias. */
export function syncSocketPathsOf(base: SyncBase): readonly [string, string] {
  return [`${base}ws`, `${base.replace(/api\/$/, '')}ws`];
}

const short = z.string().check(z.maxLength(500));
const appId = z.string().check(z.minLength(1), z.maxLength(100));
/** A 64-bit number, too large for JSON's: decimal digits. */
export const versionSchema = z.string().check(z.regex(/^\d{1,19}$/, 'is not a number of 0 or more'));

export const syncStatusSchema = z.enum(['Enabled', 'Disabled', 'Halted']);
export type SyncStatus = z.infer<typeof syncStatusSchema>;

/** Whether an enabled integration really works, by the age of what it has yet to carry over and of its last contact. */
export const syncHealthSchema = z.enum(['Fresh', 'Late', 'Stale', 'Idle']);
export type SyncHealth = z.infer<typeof syncHealthSchema>;

/** The rule behind the health, as it is shown beside it. */
export const syncHealthRule = { lateAfterMs: 60_000, staleAfterMs: 600_000 } as const;

/** Fresh: both sides answered within a minute and nothing waits longer; Late: within ten; Idle: not enabled. */
export function healthOf(of: {
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

/** Masked in every answer; a save that sends it, or nothing, keeps what is stored. */
export const maskedPassword = '********';

export const syncConfigSchema = z.object({
  enabled: z.boolean(),
  enableJourneyToHelium: z.boolean(),
  enableHeliumToJourney: z.boolean(),
  helium: z.object({ appId, dbSchema: short, baseUrl: short }),
  journey: z.object({
    appId: short,
    baseUrl: short,
    restAPICredentials: z.object({ userName: short, password: z.optional(short) }),
  }),
  heliumToJourney: z.object({
    /** As a JSON number, for reading; the text is what counts. */
    changeLogMinVersion: z.optional(z.number()),
    changeLogMinVersionAsString: versionSchema,
    changeLogSkipTables: z.array(short),
  }),
  journeyToHelium: z.object({
    oplogMinVersion: z.optional(z.number()),
    oplogMinVersionAsString: versionSchema,
    oplogSkipObjectTypes: z.array(short),
  }),
  journeyToHeliumEnrollment: enrollmentSchema,
  /** How the same field changed on both sides is settled; `later` when left out. */
  conflictPolicy: z.optional(z.enum(['later', 'helium', 'journey'])),
  /** The `changedAt` of the integration the form was filled from: a save over somebody else's is refused. */
  basedOn: z.optional(z.nullable(short)),
});
export type SyncConfig = z.infer<typeof syncConfigSchema>;

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
  /** What each direction is doing, in words: 'Live', 'Reading everything: farmer, 12,000 of 40,000', 'Off'. */
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

export const listIntegrations = endpoint({
  method: 'POST',
  path: '/list',
  summary: 'The sync integrations of an environment',
  access: 'session',
  takes: z.object({ environment: z.optional(short) }),
  answers: z.array(syncIntegrationSchema),
});

export const getIntegration = endpoint({
  method: 'GET',
  path: '/get/:appId',
  summary: 'One sync integration with its configuration',
  access: 'session',
  takes: null,
  answers: z.object({ integration: syncIntegrationSchema, config: syncConfigSchema }),
});

export const getTemplate = endpoint({
  method: 'POST',
  path: '/get-template',
  summary: 'A sync configuration for an app, filled with defaults',
  access: 'session',
  takes: z.object({
    environment: z.optional(short),
    uuid: appId,
    dataSource: short,
    journeyUserMode: enrollmentTypeSchema,
  }),
  answers: syncConfigSchema,
});

export const getTemplateEnrollment = endpoint({
  method: 'POST',
  path: '/get-template-enrollment',
  summary: 'The enrollment part of that configuration',
  access: 'session',
  takes: z.object({ environment: z.optional(short), uuid: appId, journeyUserMode: enrollmentTypeSchema }),
  answers: enrollmentSchema,
});

/** A field of the configuration, `journey.baseUrl`, and what is wrong with it. */
export const configProblemSchema = z.object({ field: z.string(), reason: z.string() });
export type ConfigProblem = z.infer<typeof configProblemSchema>;

/** What the two data models leave out or refuse; `field` as `table.column` or `model.field`. */
export const mappingNoteSchema = z.object({
  severity: z.enum(['refused', 'left-out']),
  object: z.string(),
  field: z.nullable(z.string()),
  reason: z.string(),
});

/** The reason of the note on each view, so that a page can tell which these are. */
export const viewNoteReason = 'It is a view in Helium, whose changes nothing tells.';

const reachedSchema = z.object({ reached: z.boolean(), message: z.string() });

export const testConnection = endpoint({
  method: 'POST',
  path: '/test-connection',
  summary: 'Tries both ends of a configuration, and what of their data models can be synced',
  access: 'session',
  takes: z.object({ config: syncConfigSchema }),
  answers: z.object({
    helium: reachedSchema,
    journey: reachedSchema,
    problems: z.array(configProblemSchema),
    notes: z.array(mappingNoteSchema),
  }),
});

export const revealPassword = endpoint({
  method: 'POST',
  path: '/reveal-password',
  summary: 'The Journey password of an integration; audited',
  access: 'session',
  takes: z.object({ appId }),
  answers: z.object({ password: z.string() }),
});

/** Enables or disables several at once; an Enabled that was Halted begins again where it stopped. */
export const setEnabled = endpoint({
  method: 'POST',
  path: '/set-enabled',
  summary: 'Enable or disable integrations',
  access: 'session',
  takes: z.object({ appIds: z.array(appId).check(z.minLength(1), z.maxLength(1000)), enabled: z.boolean() }),
  answers: z.array(z.object({ appId: z.string(), status: syncStatusSchema, message: z.string() })),
});

export const directionSchema = z.enum(['helium-to-journey', 'journey-to-helium']);
export type SyncDirection = z.infer<typeof directionSchema>;

export const heldRecordSchema = z.object({
  /** For retry and skip. */
  no: z.string(),
  direction: directionSchema,
  /** parked: waits for another record; dead: refused for ever unless somebody acts; skipped: left as it is on purpose. */
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

/** Reads on from `after`, the `no` of the last one had. */
const pageOf = z.object({
  after: z.optional(short),
  limit: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(1000))),
});

export const getHeldRecords = endpoint({
  method: 'GET',
  path: '/held/:appId',
  summary: 'Records that are parked, dead-lettered or skipped',
  access: 'session',
  takes: z.extend(pageOf, { state: z.optional(z.enum(['parked', 'dead', 'skipped'])) }),
  answers: z.object({ records: z.array(heldRecordSchema), total: z.number() }),
});

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

export const getConflicts = endpoint({
  method: 'GET',
  path: '/conflicts/:appId',
  summary: 'Where both sides changed the same, newest first, with both values',
  access: 'session',
  takes: pageOf,
  answers: z.object({ conflicts: z.array(conflictSchema), total: z.number() }),
});

const selection = z.object({
  appId,
  /** Either these, or all of a kind. */
  nos: z.optional(z.array(short).check(z.maxLength(1000))),
  kind: z.optional(short),
});
const countAnswer = z.object({ records: z.number() });

export const retryHeld = endpoint({
  method: 'POST',
  path: '/retry',
  summary: 'Tries held records again',
  access: 'session',
  takes: selection,
  answers: countAnswer,
});

export const skipHeld = endpoint({
  method: 'POST',
  path: '/skip',
  summary: 'Leaves held records as they are until they change again',
  access: 'session',
  takes: selection,
  answers: countAnswer,
});

export const statusChangeSchema = z.object({
  at: z.string(),
  status: syncStatusSchema,
  /** A user's name, or 'engine'. */
  by: z.string(),
  reason: z.nullable(z.string()),
});

export const getStatusHistory = endpoint({
  method: 'GET',
  path: '/status-history/:appId',
  summary: 'When an integration was enabled, disabled or halted, by whom and why; newest first',
  access: 'session',
  takes: null,
  answers: z.array(statusChangeSchema),
});

export const moveCursorWord = 'MOVE';

export const moveCursor = endpoint({
  method: 'POST',
  path: '/move-cursor',
  summary: 'Continues one direction from another version; 0 reads everything from the beginning',
  access: 'session',
  takes: z.object({
    appId,
    direction: directionSchema,
    version: versionSchema,
    confirmation: z.literal(moveCursorWord),
  }),
  answers: syncIntegrationSchema,
});

/** Compares both sides whole, mends what differs, and tells what did. Runs in the background; the log says the rest. */
export const auditDrift = endpoint({
  method: 'POST',
  path: '/audit-drift',
  summary: 'Compares both sides whole',
  access: 'session',
  takes: z.object({ appId }),
  answers: z.object({ message: z.string() }),
});

export const syncEndpoints = [
  listIntegrations,
  getIntegration,
  getTemplate,
  getTemplateEnrollment,
  testConnection,
  revealPassword,
  setEnabled,
  getHeldRecords,
  getConflicts,
  retryHeld,
  skipHeld,
  getStatusHistory,
  moveCursor,
  auditDrift,
] as const;

/** An endpoint under its base: '/list' becomes '/sync/api/list'. */
export function placeAt<E extends { readonly path: `/${string}` }>(base: SyncBase, of: E): E {
  return { ...of, path: `${base.slice(0, -1)}${of.path}` };
}

/** What a client sends on the socket; MERGE and DESTROY close it with the first reply. */
export const syncSocketMessageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('LOG_SESSION'),
    appId,
    config: z.optional(z.unknown()),
    /** As on the apps' log socket: frames of many lines, and resuming behind a line. */
    batch: z.optional(z.boolean()),
    /** `seq` of the last line had. */
    after: z.optional(z.number()),
  }),
  z.object({ type: z.literal('MERGE'), appId, config: z.unknown() }),
  z.object({ type: z.literal('DESTROY'), appId, config: z.optional(z.unknown()) }),
]);
export type SyncSocketMessage = z.infer<typeof syncSocketMessageSchema>;

/** One reply. Log lines carry the line's text as value, with its level and time. */
export const syncSocketReplySchema = z.object({
  value: z.string(),
  key: z.optional(z.string()),
  millis: z.optional(z.number()),
  seq: z.optional(z.number()),
  /** The request failed, for the reason in `value`. */
  failed: z.optional(z.boolean()),
  problems: z.optional(z.array(configProblemSchema)),
});
export type SyncSocketReply = z.infer<typeof syncSocketReplySchema>;

/** With `batch: true`: consecutive lines as [millis, key, value], the first with number `seq`; gaps and beats. */
export const syncBatchFrameSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('lines'),
    seq: z.number(),
    lines: z.array(z.tuple([z.number(), z.string(), z.string()])),
  }),
  z.object({ type: z.literal('gap'), nextSeq: z.number(), lines: z.nullable(z.number()) }),
  z.object({ type: z.literal('beat'), seq: z.number() }),
]);
export type SyncBatchFrame = z.infer<typeof syncBatchFrameSchema>;

/** Private close codes of the sync socket, besides those of the log socket. */
export const syncCloseCodes = { disabled: 4409 } as const;

export const syncTexts = {
  title: 'Sync',
  badGateway: 'Bad Gateway - Invalid response from the upstream server',
  noIntegrations: (url: string) => `No Helium Journey Integrations found on ${url}`,
  noTemplate: (reason: string) => `Unable to fetch template: ${reason}`,
  noEnrollmentTemplate: (reason: string) => `Unable to fetch enrollment template ${reason}`,
  noApps: (url: string) => `No apps found on ${url}`,
  alreadyThere: (id: string) => `There is already an integration for ${id}`,
  disabled: 'Integration Disabled',
  disabledLine: 'The logs of a disabled integration cannot be streamed.',
} as const;
