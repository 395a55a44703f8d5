/** One record as both sides and the sync's own state have it. */
import * as z from 'zod/mini';
import { endpoint } from '../endpoint.ts';
import { heavy, light } from '../rules.ts';
import { appIdSchema } from './config.ts';
import { conflictSchema } from './conflicts.ts';
import { heldRecordSchema } from './records.ts';
import { trailEntrySchema } from './trail.ts';

/** The most records that a search by value returns. */
export const maxFoundRecords = 20;

const millis = z.nullable(z.number());
/** By Helium's column; a column is missing when its value is not known. */
const valuesSchema = z.record(z.string(), z.unknown());

/** What one side has now. */
const sideSchema = z.object({
  /** null if the side has no such record, or could not be read. */
  values: z.nullable(valuesSchema),
  /** When the record was last changed there, in epoch milliseconds. */
  changedAt: millis,
  /** Why the side could not be read; null if it was. */
  problem: z.nullable(z.string()),
});
export type FoundSide = z.infer<typeof sideSchema>;

const knownSchema = z.object({
  /** The object after the last op-log entry that was read; null if Journey has none. */
  journey: z.nullable(valuesSchema),
  deletedAt: millis,
  /** The time of the row (`_tstamp_`) that was last seen. */
  rowAt: millis,
});

/** A write to Journey that has not come back in its op-log. */
const intentSchema = z.object({
  method: z.enum(['put', 'patch', 'delete']),
  /** sent: not answered yet; acknowledged: confirmed; superseded: replaced by a later write. */
  stage: z.enum(['sent', 'acknowledged', 'superseded']),
  sentAt: z.string(),
  values: valuesSchema,
});

const foundRecordSchema = z.object({
  table: z.string(),
  /** Journey's name of the object. */
  model: z.string(),
  id: z.string(),
  helium: sideSchema,
  journey: sideSchema,
  /** null if nothing is known, so that Journey is read before anything is written. */
  known: z.nullable(knownSchema),
  /** Whether Helium's row waits to be checked, although the change log does not name it. */
  isDirty: z.boolean(),
  /** Whether both sides will be read again on request. */
  isLookAgainRequested: z.boolean(),
  intents: z.array(intentSchema),
  held: z.array(heldRecordSchema),
  /** The first records that wait for this one. */
  waitedForBy: z.array(z.object({ table: z.string(), id: z.string() })),
  /** The newest ones. */
  conflicts: z.array(conflictSchema),
  /** What happened to it, the newest first; null if it could not be read in time. */
  trail: z.nullable(z.array(trailEntrySchema)),
  /** The newest lines of the log that name the record, the newest first. */
  lines: z.array(z.object({ at: z.string(), level: z.string(), text: z.string() })),
});
export type FoundRecord = z.infer<typeof foundRecordSchema>;

/** An object that can be searched. */
const searchedObjectSchema = z.object({
  table: z.string(),
  model: z.string(),
  columns: z.array(z.string()),
  /** Whether its changes in Helium are synced to Journey. */
  toJourney: z.boolean(),
  /** Whether its changes in Journey are synced to Helium. */
  toHelium: z.boolean(),
});
export type SearchedObject = z.infer<typeof searchedObjectSchema>;

const foundRecordsSchema = z.object({
  records: z.array(foundRecordSchema),
  /** Whether there are more records with this value. */
  isCut: z.boolean(),
  /** What could not be searched, and why, each in a sentence or two. */
  notSearched: z.array(z.string()),
  /** What is synced, for choosing a table and a column; empty if the integration has never run. */
  objects: z.array(searchedObjectSchema),
  /** Whether the log names each record that is synced. */
  isLoggingIds: z.boolean(),
  /**
   * Why Helium's database, which also holds the sync's state, could not be read; null if it was.
   */
  problem: z.nullable(z.string()),
});
export type FoundRecords = z.infer<typeof foundRecordsSchema>;

/** Not only UUIDs of a known version: PostgreSQL accepts any. */
const recordIdSchema = z
  .string()
  .check(z.maxLength(36), z.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'must be a UUID'), z.toLowerCase());
const nameSchema = z.string().check(z.minLength(1), z.maxLength(200));

/**
 * Finds records by id or by value: in one table or in all, and a value in one column or in all of
 * them. A value is searched in Helium's rows, Journey's objects and held records, and texts also
 * match a part of at least three characters. Without an id and a value, it only returns what can be
 * searched. Journey is read live.
 */
export const findRecords = endpoint({
  method: 'POST',
  path: '/find-records',
  summary: 'Find records by id or by a value, with both sides and all that is known and waiting',
  may: 'sync.view',
  about: { app: 'appId' },
  recorded: false,
  cost: heavy(),
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
