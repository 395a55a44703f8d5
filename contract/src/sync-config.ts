/** An integration's configuration: what is stored of it, and what may be wrong with it. */
import * as z from 'zod/mini';
import { enrollmentSchema } from './sync-enrollment.ts';

export const shortTextSchema = z.string().check(z.maxLength(500));
export const appIdSchema = z.string().check(z.minLength(1), z.maxLength(100));

const largestVersion = 2n ** 63n - 1n;

/** A 64-bit number, too large for JSON's: decimal digits. */
export const versionSchema = z.string().check(
  z.regex(/^\d{1,19}$/, { error: 'is not a number of 0 or more', abort: true }),
  z.refine((version) => BigInt(version) <= largestVersion, `is more than ${largestVersion}`),
);

/** Masked in every answer; a save that sends it, or nothing, keeps what is stored. */
export const maskedPassword = '********';

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
    /** As a JSON number, for reading; the text is what counts. */
    changeLogMinVersion: z.optional(z.number()),
    changeLogMinVersionAsString: versionSchema,
    changeLogSkipTables: z.array(shortTextSchema),
  }),
  journeyToHelium: z.object({
    oplogMinVersion: z.optional(z.number()),
    oplogMinVersionAsString: versionSchema,
    oplogSkipObjectTypes: z.array(shortTextSchema),
  }),
  journeyToHeliumEnrollment: enrollmentSchema,
  /** How the same field changed on both sides is settled; `later` when left out. */
  conflictPolicy: z.optional(z.enum(['later', 'helium', 'journey'])),
  /**
   * The `changedAt` of the integration the form was filled from: a save over somebody else's is
   * refused.
   */
  basedOn: z.optional(z.nullable(shortTextSchema)),
});
export type SyncConfig = z.infer<typeof syncConfigSchema>;

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
