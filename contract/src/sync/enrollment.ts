/**
 * The enrollment part of a sync configuration in both modes, with the required Helium type of each
 * configured field.
 */
import * as z from 'zod/mini';

export const enrollmentTypeSchema = z.enum(['user', 'session']);
export type EnrollmentType = z.infer<typeof enrollmentTypeSchema>;

/** The type that a Helium attribute must have. */
export type FieldHint =
  /** bool, or a 'Yes'/'No' string. */
  | 'flag'
  /** bool, or one of the strings yes, no, true, false, t, f in any case. */
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

/** Fields for a single device per user. */
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

/** Fields for multiple devices per user. */
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

/** Minutes between two reads of Journey's users: 5 to 60 in steps of 5. */
export const updateIntervalChoices = [5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60] as const;
export const defaultUpdateIntervalMins = 15;

/** The name of a Helium attribute; an empty value is not synced. */
const fieldName = z.optional(z.string().check(z.maxLength(100)));
const objectName = z.string().check(z.maxLength(100));

function toFieldNamesShape<Hints extends Readonly<Record<string, FieldHint>>>(hints: Hints) {
  const entries = Object.keys(hints).map((name) => [name, fieldName]);
  return Object.fromEntries(entries) as { readonly [Name in keyof Hints]: typeof fieldName };
}

const commonFields = {
  enabled: z.boolean(),
  /** The Helium object of the users, and Journey's user model. */
  heliumObjectName: objectName,
  journeyObjectName: objectName,
  updateIntervalMins: z
    .number()
    .check(z.refine((mins) => updateIntervalChoices.some((choice) => choice === mins), 'must be one of 5, 10 … 60')),
};

export const enrollmentSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('user'), ...commonFields, ...toFieldNamesShape(userFieldHints) }),
  z.object({
    type: z.literal('session'),
    ...commonFields,
    ...toFieldNamesShape(sessionUserFieldHints),
    /** The Helium objects for sessions and for the app containers they run in. */
    sessionObjectName: objectName,
    sessionContainerObjectName: objectName,
    sessionObjectFieldNames: z.object(toFieldNamesShape(sessionObjectFieldHints)),
    sessionContainerObjectFieldNames: z.object(toFieldNamesShape(sessionContainerObjectFieldHints)),
  }),
]);
export type Enrollment = z.infer<typeof enrollmentSchema>;
export type UserEnrollment = Extract<Enrollment, { type: 'user' }>;
export type SessionEnrollment = Extract<Enrollment, { type: 'session' }>;

/** Whether the optional containers are configured: their object or any of its fields has a name. */
export function hasContainers(enrollment: SessionEnrollment): boolean {
  const { sessionContainerObjectName, sessionContainerObjectFieldNames } = enrollment;
  return [sessionContainerObjectName, ...Object.values(sessionContainerObjectFieldNames)].some(
    (name) => !!name?.trim(),
  );
}
