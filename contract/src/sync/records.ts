/** Records and files that were not synced yet. */
import * as z from 'zod/mini';
import { distinct } from '../distinct.ts';
import { endpoint } from '../endpoint.ts';
import { light } from '../rules.ts';
import { appIdSchema, shortTextSchema, versionSchema } from './config.ts';

export const directionSchema = z.enum(['helium-to-journey', 'journey-to-helium']);
export type SyncDirection = z.infer<typeof directionSchema>;

/**
 * waiting: retried soon without anyone acting, for example because another session has locked the
 * row; parked: waits for another record; dead: rejected until an operator acts or the record
 * changes; skipped: intentionally not synced until the record changes.
 */
const heldStateSchema = z.enum(['waiting', 'parked', 'dead', 'skipped']);
export type HeldState = z.infer<typeof heldStateSchema>;

/**
 * The kind of skipped records that a device has deleted and Helium keeps, because a trigger of the
 * app cancels the deletion, such as one that marks the row instead.
 */
export const keptRowKind = 'kept row';

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
   * The records it waits for, each as `{table}/{id}`: missing parents, or those that have the
   * values of its unique keys.
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
const waitingFileSchema = z.object({
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

/** `no` of a held record or a conflict, also a 64-bit number. */
export const recordNumberSchema = versionSchema;

/** Reads the page after `after`, which is the `no` of the last received item. */
export const pageRequestSchema = z.object({
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
    nos: z.array(recordNumberSchema).check(z.minLength(1), z.maxLength(1000), distinct()),
  }),
  response: z.object({ files: z.number() }),
});
