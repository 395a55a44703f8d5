/** Fields that both sides changed before either knew of the other's change. */
import * as z from 'zod/mini';
import { distinct } from '../distinct.ts';
import { endpoint } from '../endpoint.ts';
import { heavy, light } from '../rules.ts';
import { appIdSchema } from './config.ts';
import { pageRequestSchema, recordNumberSchema } from './records.ts';

const nameSchema = z.string().check(z.minLength(1), z.maxLength(200));

/** A count of conflicts beyond this means that there are more. */
export const maxCountedConflicts = 100_000;

const sideSchema = z.enum(['helium', 'journey']);

/** A file that lost a conflict, and is kept with it for some time. */
const keptFileSchema = z.object({
  /** Identifies it for a download or a restore. */
  no: z.string(),
  column: z.string(),
  /** The side that lost it. */
  side: sideSchema,
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
  winner: sideSchema,
  /** Why nothing was overwritten yet; null once it is decided. */
  open: z.nullable(z.string()),
  /** Who has reviewed it, and the value that the record got or kept; null until someone has. */
  review: z.nullable(z.object({ at: z.string(), by: z.string(), value: z.enum(['helium', 'journey', 'other']) })),
  /** The files that it overwrote. */
  files: z.array(keptFileSchema),
});
export type SyncConflict = z.infer<typeof conflictSchema>;

/** The table and column of conflicts; null for records that one side deleted. */
const conflictFieldSchema = z.object({ table: z.string(), column: z.nullable(z.string()) });
export type ConflictField = z.infer<typeof conflictFieldSchema>;

/** In an address, '' stands for no column. */
const columnParameterSchema = z.string().check(z.maxLength(200));

export const getConflicts = endpoint({
  method: 'GET',
  path: '/conflicts/:appId',
  summary: 'List conflicts with both values, newest first',
  may: 'sync.view',
  about: { app: 'appId' },
  recorded: false,
  cost: light(),
  request: z.extend(pageRequestSchema, {
    /** Only those that someone has reviewed, or only the others; all by default. */
    reviewed: z.optional(z.enum(['yes', 'no'])),
    /**
     * Only those of a table and one of its columns, or with '' of records that one side deleted.
     */
    table: z.optional(nameSchema),
    column: z.optional(columnParameterSchema),
  }),
  response: z.object({
    conflicts: z.array(conflictSchema),
    /** Of the requested ones, counted up to `maxCountedConflicts` and one more. */
    total: z.number(),
    /** How many wait for a review, by field: those with the most, up to 50. */
    fields: z.array(z.extend(conflictFieldSchema, { count: z.number() })),
  }),
});

/** What a record gets: what it has (`winner`), the value of one side, or the given value. */
const takeSchema = z.enum(['winner', 'helium', 'journey', 'value']);
export type TakenValue = z.infer<typeof takeSchema>;

/**
 * Another value than the winner's is written as an ordinary edit of Helium's row. A conflict stays
 * open for review, with a reason, if the row has changed since, is locked, or no longer exists.
 */
export const reviewConflicts = endpoint({
  method: 'POST',
  path: '/review-conflicts',
  summary: 'Mark conflicts as reviewed: keep the winner, take one side, or write another value',
  may: 'sync.change',
  about: { app: 'appId' },
  recorded: { action: 'sync.review-conflicts', description: 'Conflicts reviewed' },
  cost: light({ maxBodyBytes: 64 * 1024 }),
  request: z.object({
    appId: appIdSchema,
    take: takeSchema,
    /** Of a single conflict, for `take: 'value'`, as text; null empties the column. */
    value: z.optional(z.nullable(z.string().check(z.maxLength(10_000)))),
    /** Either these, or all of a field. */
    nos: z.optional(z.array(recordNumberSchema).check(z.minLength(1), z.maxLength(1000), distinct())),
    field: z.optional(z.object({ table: nameSchema, column: z.nullable(nameSchema) })),
    /** Continues with the conflicts of a field after this number; see `next`. */
    after: z.optional(recordNumberSchema),
  }),
  response: z.object({
    reviewed: z.number(),
    /** Those that were not reviewed. */
    refused: z.array(z.object({ no: z.string(), reason: z.string() })),
    /** The number to continue after; null when nothing is left. */
    next: z.nullable(z.string()),
  }),
});

const conflictFileRequestSchema = z.object({ no: recordNumberSchema });

export const getConflictFile = endpoint({
  method: 'GET',
  path: '/conflict-file/:appId',
  summary: 'Download a file that lost a conflict; audited',
  may: 'sync.view',
  about: { app: 'appId' },
  recorded: { action: 'sync.download-file', description: 'File of a conflict downloaded', isReveal: true },
  cost: heavy(),
  request: conflictFileRequestSchema,
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
  request: z.extend(conflictFileRequestSchema, { appId: appIdSchema }),
  response: z.object({ message: z.string() }),
});
