/**
 * The endpoints of the sync service, as used by the page and scripts. Their paths are relative to a
 * base that depends on the environment; `withBase` adds it.
 */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { heavy, light } from './rules.ts';
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
import { enrollmentStatusSchema } from './sync-enrollment-status.ts';
import { foundRecordsSchema } from './sync-find.ts';
import { statusChangeSchema, syncIntegrationSchema, syncStatusSchema } from './sync-integration.ts';
import {
  conflictSchema,
  directionSchema,
  heldRecordSchema,
  heldStateSchema,
  waitingFileSchema,
} from './sync-records.ts';
import { recoveryAnswerSchema, recoveryQuestionSchema } from './sync-recovery.ts';

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
  response: z.object({ integration: syncIntegrationSchema, config: syncConfigSchema }),
});

export const getTemplate = endpoint({
  method: 'POST',
  path: '/get-template',
  summary: 'Get a sync configuration for an app, filled with defaults',
  may: 'sync.view',
  about: { app: 'uuid', dataSource: 'dataSource' },
  recorded: false,
  cost: light(),
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
  summary: 'Get the default enrollment part of a sync configuration',
  may: 'sync.view',
  about: { app: 'uuid' },
  recorded: false,
  cost: light(),
  request: z.object({
    environment: z.optional(shortTextSchema),
    uuid: appIdSchema,
    journeyUserMode: enrollmentTypeSchema,
  }),
  response: enrollmentSchema,
});

const connectionResultSchema = z.object({ reached: z.boolean(), message: z.string() });

export const testConnection = endpoint({
  method: 'POST',
  path: '/test-connection',
  summary: 'Test both connections of a configuration, and report which parts of the data models can be synced',
  may: 'sync.change',
  about: { app: 'config.helium.appId' },
  recorded: { action: 'sync.test-connection', description: 'Connection tested' },
  cost: heavy({ maxBodyBytes: 256 * 1024 }),
  request: z.object({ config: syncConfigSchema }),
  response: z.object({
    helium: connectionResultSchema,
    journey: connectionResultSchema,
    problems: z.array(configProblemSchema),
    notes: z.array(mappingNoteSchema),
  }),
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

/** Makes a list a set: what is named twice is done once. */
function distinct() {
  return z.overwrite((values: string[]) => [...new Set(values)]);
}

function isListOfAppIds(list: readonly unknown[]): boolean {
  return list.every((id) => appIdSchema.safeParse(id).success);
}

/**
 * Enables or disables several integrations at once. A halted one resumes where it stopped; while a
 * question is open, it stays halted, and its message says so.
 */
export const setEnabled = endpoint({
  method: 'POST',
  path: '/set-enabled',
  summary: 'Enable or disable integrations',
  may: 'sync.change',
  about: { apps: 'appIds' },
  recorded: { action: ['sync.enable', 'sync.disable'], description: 'Integration enabled or disabled' },
  cost: light({ maxBodyBytes: 1024 * 1024 }),
  request: z.object({ appIds: manyAppIdsSchema, enabled: z.boolean() }),
  response: z.array(z.object({ appId: z.string(), status: syncStatusSchema, message: z.string() })),
});

/** `no` of a held record or a conflict, also a 64-bit number. */
const recordNumberSchema = versionSchema;

/** Reads the page after `after`, which is the `no` of the last received item. */
const pageRequestSchema = z.object({
  after: z.optional(recordNumberSchema),
  limit: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(1000))),
});

export const getHeldRecords = endpoint({
  method: 'GET',
  path: '/held/:appId',
  summary: 'List records that are waiting, parked, dead-lettered or skipped',
  may: 'sync.view',
  about: { app: 'appId' },
  recorded: false,
  cost: light(),
  request: z.extend(pageRequestSchema, { state: z.optional(heldStateSchema) }),
  response: z.object({ records: z.array(heldRecordSchema), total: z.number() }),
});

export const getConflicts = endpoint({
  method: 'GET',
  path: '/conflicts/:appId',
  summary: 'List conflicts with both values, newest first',
  may: 'sync.view',
  about: { app: 'appId' },
  recorded: false,
  cost: light(),
  request: pageRequestSchema,
  response: z.object({ conflicts: z.array(conflictSchema), total: z.number() }),
});

const keptFileRequestSchema = z.object({ no: recordNumberSchema });

export const getConflictFile = endpoint({
  method: 'GET',
  path: '/conflict-file/:appId',
  summary: 'Download a file that lost a conflict; audited',
  may: 'sync.view',
  about: { app: 'appId' },
  recorded: { action: 'sync.download-file', description: 'File of a conflict downloaded', isReveal: true },
  cost: heavy(),
  request: keptFileRequestSchema,
  response: 'bytes',
});

/** An ordinary edit of Helium's row. The file that it replaces is kept with the same conflict. */
export const restoreConflictFile = endpoint({
  method: 'POST',
  path: '/restore-conflict-file',
  summary: 'Restore a file that lost a conflict, and keep the file that it replaces',
  may: 'sync.change',
  about: { app: 'appId' },
  recorded: { action: 'sync.restore-file', description: 'File of a conflict restored' },
  cost: light(),
  request: z.extend(keptFileRequestSchema, { appId: appIdSchema }),
  response: z.object({ message: z.string() }),
});

export const getWaitingFiles = endpoint({
  method: 'GET',
  path: '/files/:appId',
  summary: 'List files of Journey that Helium does not have yet, oldest first',
  may: 'sync.view',
  about: { app: 'appId' },
  recorded: false,
  cost: light(),
  request: pageRequestSchema,
  response: z.object({ files: z.array(waitingFileSchema), total: z.number() }),
});

export const retryFiles = endpoint({
  method: 'POST',
  path: '/retry-files',
  summary: 'Retry files that wait, all of them or those given',
  may: 'sync.change',
  about: { app: 'appId' },
  recorded: { action: 'sync.retry-files', description: 'Files retried' },
  cost: light({ maxBodyBytes: 64 * 1024 }),
  request: z.object({
    appId: appIdSchema,
    nos: z.optional(z.array(recordNumberSchema).check(z.maxLength(1000), distinct())),
  }),
  response: z.object({ files: z.number() }),
});

/** Then Helium's own changes no longer wait for these files. */
export const skipFiles = endpoint({
  method: 'POST',
  path: '/skip-files',
  summary: 'Skip files that wait until Journey changes them',
  may: 'sync.change',
  about: { app: 'appId' },
  recorded: { action: 'sync.skip-files', description: 'Files skipped' },
  cost: light({ maxBodyBytes: 64 * 1024 }),
  request: z.object({
    appId: appIdSchema,
    nos: z.array(recordNumberSchema).check(z.minLength(1), z.maxLength(1000)),
  }),
  response: z.object({ files: z.number() }),
});

const heldSelectionSchema = z.object({
  appId: appIdSchema,
  /** Either these records, or all of a kind. */
  nos: z.optional(z.array(recordNumberSchema).check(z.maxLength(1000), distinct())),
  kind: z.optional(shortTextSchema),
});
const recordCountSchema = z.object({ records: z.number() });

export const retryHeld = endpoint({
  method: 'POST',
  path: '/retry',
  summary: 'Retry held records',
  may: 'sync.change',
  about: { app: 'appId' },
  recorded: { action: 'sync.retry', description: 'Held records retried' },
  cost: light({ maxBodyBytes: 64 * 1024 }),
  request: heldSelectionSchema,
  response: recordCountSchema,
});

export const skipHeld = endpoint({
  method: 'POST',
  path: '/skip',
  summary: 'Skip held records until they change again',
  may: 'sync.change',
  about: { app: 'appId' },
  recorded: { action: 'sync.skip', description: 'Held records skipped' },
  cost: light({ maxBodyBytes: 64 * 1024 }),
  request: heldSelectionSchema,
  response: recordCountSchema,
});

/** Not only UUIDs of a known version: PostgreSQL accepts any. */
const recordIdSchema = z
  .string()
  .check(z.maxLength(36), z.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'must be a UUID'), z.toLowerCase());
const nameSchema = z.string().check(z.minLength(1), z.maxLength(200));

/**
 * Finds records by id, in one table or in all, or by the value of a column of Helium's table.
 * Without an id and a value, it only returns what can be searched. Journey is read live.
 */
export const findRecords = endpoint({
  method: 'POST',
  path: '/find-records',
  summary: 'Find records by id or by a value, with both sides and all that is known and waiting',
  may: 'sync.view',
  about: { app: 'appId' },
  recorded: false,
  cost: light(),
  request: z.object({
    appId: appIdSchema,
    id: z.optional(recordIdSchema),
    table: z.optional(nameSchema),
    column: z.optional(nameSchema),
    value: z.optional(z.string().check(z.maxLength(1000))),
  }),
  response: foundRecordsSchema,
});

/** Reads records again on both sides and syncs what differs. */
export const lookAgain = endpoint({
  method: 'POST',
  path: '/look-again',
  summary: 'Read records again on both sides',
  may: 'sync.change',
  about: { app: 'appId' },
  recorded: { action: 'sync.look-again', description: 'Records read again' },
  cost: light({ maxBodyBytes: 64 * 1024 }),
  request: z.object({
    appId: appIdSchema,
    records: z.array(z.object({ table: nameSchema, id: recordIdSchema })).check(z.minLength(1), z.maxLength(100)),
  }),
  response: z.object({ message: z.string() }),
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
  summary: 'List when an integration was enabled, disabled or halted, by whom and why, newest first',
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

/**
 * Compares all records of both sides, and repairs and logs differences. Runs in the background;
 * results appear in the log.
 */
export const auditDrift = endpoint({
  method: 'POST',
  path: '/audit-drift',
  summary: 'Compare and repair all records of both sides',
  may: 'sync.change',
  about: { app: 'appId' },
  recorded: { action: 'sync.audit-drift', description: 'Full comparison run' },
  cost: light(),
  request: z.object({ appId: appIdSchema }),
  response: z.object({ message: z.string() }),
});

export const getDrift = endpoint({
  method: 'GET',
  path: '/drift/:appId',
  summary: 'List what each comparison within the last 30 days found per table, the oldest first',
  may: 'sync.view',
  about: { app: 'appId' },
  recorded: false,
  cost: light(),
  request: null,
  response: z.array(driftPointSchema),
});

export const getEnrollment = endpoint({
  method: 'GET',
  path: '/enrollment/:appId',
  summary: 'Get the last whole list of users, and the enrollment requests and rows that wait',
  may: 'sync.view',
  about: { app: 'appId' },
  recorded: false,
  cost: light(),
  request: null,
  response: enrollmentStatusSchema,
});

/** Retries what waits, and reads the list of users again. */
export const retryEnrollment = endpoint({
  method: 'POST',
  path: '/retry-enrollment',
  summary: 'Retry enrollment requests and rows that wait, all of them or those given',
  may: 'sync.change',
  about: { app: 'appId' },
  recorded: { action: 'sync.retry-enrollment', description: 'Enrollment retried' },
  cost: light({ maxBodyBytes: 64 * 1024 }),
  request: z.object({
    appId: appIdSchema,
    subjects: z.optional(z.array(shortTextSchema).check(z.maxLength(100), distinct())),
  }),
  response: z.object({ retried: z.number() }),
});

export const removeUnlistedConfirmation = 'REMOVE';

/** Consents to the removal of as many as the last round has found. */
export const removeUnlisted = endpoint({
  method: 'POST',
  path: '/remove-unlisted',
  summary: "Remove users or sessions that Journey's list of users no longer has",
  may: 'sync.change',
  about: { app: 'appId' },
  recorded: { action: 'sync.remove-unlisted', description: 'Removal of what Journey no longer lists' },
  cost: light(),
  request: z.object({
    appId: appIdSchema,
    /** Of what waits in enrollment. */
    subject: shortTextSchema,
    confirmation: z.literal(removeUnlistedConfirmation),
  }),
  response: z.object({ message: z.string() }),
});

export const getRecovery = endpoint({
  method: 'GET',
  path: '/recovery/:appId',
  summary: 'Get the question that halts an integration until it is answered',
  may: 'sync.view',
  about: { app: 'appId' },
  recorded: false,
  cost: light(),
  request: null,
  response: z.object({ question: z.nullable(recoveryQuestionSchema) }),
});

/** Answers the question and enables the integration, which then acts on the answer. */
export const answerRecovery = endpoint({
  method: 'POST',
  path: '/answer-recovery',
  summary: 'Answer the question that halts an integration, and enable it',
  may: 'sync.change',
  about: { app: 'appId' },
  recorded: { action: 'sync.answer-recovery', description: 'Question that halted the integration answered' },
  cost: light(),
  request: z.object({
    appId: appIdSchema,
    questionId: shortTextSchema,
    answer: recoveryAnswerSchema,
    /** `deleteConfirmation` for an answer that deletes records; otherwise ignored. */
    confirmation: z.optional(shortTextSchema),
  }),
  response: syncIntegrationSchema,
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
  getConflictFile,
  restoreConflictFile,
  getWaitingFiles,
  retryFiles,
  skipFiles,
  retryHeld,
  skipHeld,
  findRecords,
  lookAgain,
  tryNow,
  getStatusHistory,
  moveCursor,
  auditDrift,
  getDrift,
  getEnrollment,
  retryEnrollment,
  removeUnlisted,
  getRecovery,
  answerRecovery,
] as const;
