/** The configuration of an integration, its defaults, and the problems found in it. */
import * as z from 'zod/mini';
import { endpoint } from '../endpoint.ts';
import { heavy, light } from '../rules.ts';
import { maxSkippedNames, tooManyNamesError } from './config-rules.ts';
import { enrollmentSchema, enrollmentTypeSchema } from './enrollment.ts';

export const shortTextSchema = z.string().check(z.maxLength(500));
export const appIdSchema = z.string().check(z.minLength(1), z.maxLength(100));

/**
 * The names of tables or models that are not synced. In a list that is too long, they are not
 * checked.
 */
const skippedNamesSchema = z
  .array(z.string().check(z.maxLength(100)))
  .check(z.maxLength(maxSkippedNames, tooManyNamesError));

const largestVersion = 2n ** 63n - 1n;

/** A 64-bit number as decimal digits, because JSON numbers are too small for it. */
export const versionSchema = z.string().check(
  z.regex(/^\d{1,19}$/, { error: 'must be a whole number, 0 or greater', abort: true }),
  z.maxLength(19),
  z.refine((version) => BigInt(version) <= largestVersion, `must be at most ${largestVersion}`),
);

/**
 * Replaces the password in every response. A save that sends it, or omits it, leaves the stored
 * password unchanged.
 */
export const maskedPassword = '********';

export const defaultMaxDeletedPercent = 5;

const percentError = { error: 'must be a whole number from 0 to 100' };

export const syncConfigSchema = z.object({
  enabled: z.boolean(),
  enableJourneyToHelium: z.boolean(),
  enableHeliumToJourney: z.boolean(),
  helium: z.object({ appId: appIdSchema, dbSchema: shortTextSchema, baseUrl: shortTextSchema }),
  journey: z.object({
    appId: shortTextSchema,
    baseUrl: shortTextSchema,
    restAPICredentials: z.object({ userName: shortTextSchema, password: z.optional(shortTextSchema) }),
  }),
  heliumToJourney: z.object({
    /** The JSON number is informational; the text is authoritative. */
    changeLogMinVersion: z.optional(z.number()),
    changeLogMinVersionAsString: versionSchema,
    changeLogSkipTables: skippedNamesSchema,
  }),
  journeyToHelium: z.object({
    oplogMinVersion: z.optional(z.number()),
    oplogMinVersionAsString: versionSchema,
    oplogSkipObjectTypes: skippedNamesSchema,
  }),
  journeyToHeliumEnrollment: enrollmentSchema,
  /** Which side wins when both changed the same field; defaults to `later`. */
  conflictPolicy: z.optional(z.enum(['later', 'helium', 'journey'])),
  /**
   * The percentage of an object's records that may be deleted although no log names their deletion.
   * Above it, and above 20 records, an operator is asked. Defaults to `defaultMaxDeletedPercent`.
   */
  maxDeletedPercent: z.optional(z.int(percentError).check(z.minimum(0, percentError), z.maximum(100, percentError))),
  /**
   * Whether the log names each record that is synced; by default, it has only counts per object.
   */
  logRecordIds: z.optional(z.boolean()),
  /**
   * The `changedAt` of the integration that the form was loaded from. The save fails if another
   * user has saved since.
   */
  basedOn: z.optional(z.nullable(shortTextSchema)),
});
export type SyncConfig = z.infer<typeof syncConfigSchema>;

/** A field of the configuration, such as `journey.baseUrl`, and its error. */
export const configProblemSchema = z.object({ field: z.string(), reason: z.string() });
export type ConfigProblem = z.infer<typeof configProblemSchema>;

/**
 * Parts of the two data models that are not synced or not supported. Only what is refused keeps a
 * configuration from being enabled; `object` and `field` name a table or model and its column or
 * field.
 */
const mappingNoteSchema = z.object({
  severity: z.enum(['refused', 'warning', 'left-out']),
  object: z.string(),
  field: z.nullable(z.string()),
  reason: z.string(),
});

/** The reason in the note on each view; pages identify views by it. */
export const viewNoteReason = 'It is a Helium view, which reports no changes.';

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

const connectionResultSchema = z.object({
  reached: z.boolean(),
  message: z.string(),
  /** The configuration field to correct when it was not reached; the URL when absent. */
  field: z.optional(z.string()),
});

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
