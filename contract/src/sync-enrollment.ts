/**
 * The enrollment part of a sync configuration, in both modes, with the type each named field must
 * have in Helium.
 */
import * as z from 'zod/mini';

export const enrollmentTypeSchema = z.enum(['user', 'session']);
export type EnrollmentType = z.infer<typeof enrollmentTypeSchema>;

/** What kind of Helium attribute a field name may name. */
export type FieldHint =
  /** bool, or a string of 'Yes'/'No'. */
  | 'flag'
  /** bool, or a string of yes, no, true, false, t, f in any case. */
  | 'request'
  /** string (ISO 8601, UTC), date or datetime. */
  | 'moment'
  | 'string'
  | 'uuid';

export const fieldHintTexts: Readonly<Record<FieldHint, string>> = {
  flag: 'boolean, or string (Yes/No)',
  request: 'boolean, or string (yes/no/true/false/t/f, case-insensitive)',
  moment: 'string (ISO 8601 UTC), date or dateTime',
  string: 'string',
  uuid: 'UUID',
};

/** Single device per user. */
export const userFieldHints = {
  allowedAccessFieldName: 'flag',
  enrolledFieldName: 'flag',
  journeyLauncherVersionFieldName: 'string',
  deviceOsFieldName: 'string',
  performReEnrollmentFieldName: 'request',
  generateEnrollmentCodeFieldName: 'request',
  deviceModelFieldName: 'string',
  lastConnectedFieldName: 'moment',
  barcodeFieldName: 'string',
  urlFieldName: 'string',
  reEnrollmentLastProcessedFieldName: 'moment',
  enrollmentCodeFieldName: 'string',
} as const satisfies Record<string, FieldHint>;

/** Multiple devices per user. */
export const sessionUserFieldHints = {
  generateEnrollmentCodeFieldName: 'request',
  enrollmentCodeFieldName: 'string',
  lockedFieldName: 'flag',
  lastConnectedAtFieldName: 'moment',
  enrolledFieldName: 'flag',
} as const satisfies Record<string, FieldHint>;

export const sessionObjectFieldHints = {
  stateFieldName: 'string',
  lastAuthenticatedAtFieldName: 'moment',
  createdAtFieldName: 'moment',
  heliumObjectFkFieldName: 'uuid',
  performReAuthenticateFieldName: 'request',
  reAuthenticateLastProcessedFieldName: 'moment',
  signedOutAtFieldName: 'moment',
  lastConnectedAtFieldName: 'moment',
  labelFieldname: 'string',
} as const satisfies Record<string, FieldHint>;

export const sessionContainerObjectFieldHints = {
  versionFieldName: 'string',
  bundleIdFieldName: 'string',
  platformFieldName: 'string',
  sessionObjectFkFieldName: 'uuid',
} as const satisfies Record<string, FieldHint>;

/** Minutes between two looks at Journey's users: 5 to 60 in steps of 5. */
export const updateIntervalChoices = [5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60] as const;
export const defaultUpdateIntervalMins = 15;

/** A Helium attribute's name; empty: not kept. */
const fieldName = z.optional(z.string().check(z.maxLength(100)));
const objectName = z.string().check(z.maxLength(100));

function namesOf<Hints extends Readonly<Record<string, FieldHint>>>(hints: Hints) {
  const entries = Object.keys(hints).map((name) => [name, fieldName]);
  return Object.fromEntries(entries) as { readonly [Name in keyof Hints]: typeof fieldName };
}

const common = {
  enabled: z.boolean(),
  /** The Helium object of the users, and Journey's user model. */
  heliumObjectName: objectName,
  journeyObjectName: objectName,
  updateIntervalMins: z
    .number()
    .check(z.refine((mins) => updateIntervalChoices.some((choice) => choice === mins), 'is not one of 5, 10 … 60')),
};

export const enrollmentSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('user'), ...common, ...namesOf(userFieldHints) }),
  z.object({
    type: z.literal('session'),
    ...common,
    ...namesOf(sessionUserFieldHints),
    /** The Helium objects that hold sessions, and the app containers they run in. */
    sessionObjectName: objectName,
    sessionContainerObjectName: objectName,
    sessionObjectFieldNames: z.object(namesOf(sessionObjectFieldHints)),
    sessionContainerObjectFieldNames: z.object(namesOf(sessionContainerObjectFieldHints)),
  }),
]);
export type Enrollment = z.infer<typeof enrollmentSchema>;
export type UserEnrollment = Extract<Enrollment, { type: 'user' }>;
export type SessionEnrollment = Extract<Enrollment, { type: 'session' }>;
