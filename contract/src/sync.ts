/**
 * The sync service's calls, as the page and scripts make them. They are relative to a base that
 * depends on the environment, so an endpoint here has its path behind that base; `placeAt` places
 * them.
 */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import {
  appIdSchema,
  configProblemSchema,
  mappingNoteSchema,
  shortTextSchema,
  syncConfigSchema,
  versionSchema,
} from './sync-config.ts';
import { driftPointSchema } from './sync-drift.ts';
import { enrollmentSchema, enrollmentTypeSchema } from './sync-enrollment.ts';
import { statusChangeSchema, syncIntegrationSchema, syncStatusSchema } from './sync-integration.ts';
import { conflictSchema, directionSchema, heldRecordSchema } from './sync-records.ts';

export const listIntegrations = endpoint({
  method: 'POST',
  path: '/list',
  summary: 'The sync integrations of an environment',
  access: 'session',
  request: z.object({ environment: z.optional(shortTextSchema) }),
  response: z.array(syncIntegrationSchema),
});

export const getIntegration = endpoint({
  method: 'GET',
  path: '/get/:appId',
  summary: 'One sync integration with its configuration',
  access: 'session',
  request: null,
  response: z.object({ integration: syncIntegrationSchema, config: syncConfigSchema }),
});

export const getTemplate = endpoint({
  method: 'POST',
  path: '/get-template',
  summary: 'A sync configuration for an app, filled with defaults',
  access: 'session',
  request: z.object({
    environment: z.optional(shortTextSchema),
    uuid: appIdSchema,
    dataSource: shortTextSchema,
    journeyUserMode: enrollmentTypeSchema,
  }),
  response: syncConfigSchema,
});

export const getTemplateEnrollment = endpoint({
  method: 'POST',
  path: '/get-template-enrollment',
  summary: 'The enrollment part of that configuration',
  access: 'session',
  request: z.object({
    environment: z.optional(shortTextSchema),
    uuid: appIdSchema,
    journeyUserMode: enrollmentTypeSchema,
  }),
  response: enrollmentSchema,
});

const reachedSchema = z.object({ reached: z.boolean(), message: z.string() });

export const testConnection = endpoint({
  method: 'POST',
  path: '/test-connection',
  summary: 'Tries both ends of a configuration, and what of their data models can be synced',
  access: 'session',
  request: z.object({ config: syncConfigSchema }),
  response: z.object({
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
  request: z.object({ appId: appIdSchema }),
  response: z.object({ password: z.string() }),
});

/**
 * Enables or disables several at once; an Enabled that was Halted begins again where it stopped.
 */
export const setEnabled = endpoint({
  method: 'POST',
  path: '/set-enabled',
  summary: 'Enable or disable integrations',
  access: 'session',
  // As many as one environment may have, since all of them can be selected.
  request: z.object({ appIds: z.array(appIdSchema).check(z.minLength(1), z.maxLength(10_000)), enabled: z.boolean() }),
  response: z.array(z.object({ appId: z.string(), status: syncStatusSchema, message: z.string() })),
});

/** `no` of a held record or a conflict: a 64-bit number too. */
const noSchema = versionSchema;

/** Reads on from `after`, the `no` of the last one had. */
const pageSchema = z.object({
  after: z.optional(noSchema),
  limit: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(1000))),
});

export const getHeldRecords = endpoint({
  method: 'GET',
  path: '/held/:appId',
  summary: 'Records that are parked, dead-lettered or skipped',
  access: 'session',
  request: z.extend(pageSchema, { state: z.optional(z.enum(['parked', 'dead', 'skipped'])) }),
  response: z.object({ records: z.array(heldRecordSchema), total: z.number() }),
});

export const getConflicts = endpoint({
  method: 'GET',
  path: '/conflicts/:appId',
  summary: 'Where both sides changed the same, newest first, with both values',
  access: 'session',
  request: pageSchema,
  response: z.object({ conflicts: z.array(conflictSchema), total: z.number() }),
});

const selection = z.object({
  appId: appIdSchema,
  /** Either these, or all of a kind. */
  nos: z.optional(z.array(noSchema).check(z.maxLength(1000))),
  kind: z.optional(shortTextSchema),
});
const countAnswer = z.object({ records: z.number() });

export const retryHeld = endpoint({
  method: 'POST',
  path: '/retry',
  summary: 'Tries held records again',
  access: 'session',
  request: selection,
  response: countAnswer,
});

export const skipHeld = endpoint({
  method: 'POST',
  path: '/skip',
  summary: 'Leaves held records as they are until they change again',
  access: 'session',
  request: selection,
  response: countAnswer,
});

export const getStatusHistory = endpoint({
  method: 'GET',
  path: '/status-history/:appId',
  summary: 'When an integration was enabled, disabled or halted, by whom and why; newest first',
  access: 'session',
  request: null,
  response: z.array(statusChangeSchema),
});

export const moveCursorConfirmation = 'MOVE';

export const moveCursor = endpoint({
  method: 'POST',
  path: '/move-cursor',
  summary: 'Continues one direction from another version; 0 reads everything from the beginning',
  access: 'session',
  request: z.object({
    appId: appIdSchema,
    direction: directionSchema,
    version: versionSchema,
    confirmation: z.literal(moveCursorConfirmation),
  }),
  response: syncIntegrationSchema,
});

/**
 * Compares both sides whole, mends what differs, and tells what did. Runs in the background; the
 * log says the rest.
 */
export const auditDrift = endpoint({
  method: 'POST',
  path: '/audit-drift',
  summary: 'Compares both sides whole',
  access: 'session',
  request: z.object({ appId: appIdSchema }),
  response: z.object({ message: z.string() }),
});

export const getDrift = endpoint({
  method: 'GET',
  path: '/drift/:appId',
  summary: 'What each comparison of both sides found within the last 30 days, per table, the oldest first',
  access: 'session',
  request: null,
  response: z.array(driftPointSchema),
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
  getDrift,
] as const;
