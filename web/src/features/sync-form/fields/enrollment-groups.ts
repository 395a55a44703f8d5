import {
  type EnrollmentType,
  type FieldHint,
  sessionContainerObjectFieldHints,
  sessionObjectFieldHints,
  sessionUserFieldHints,
  userFieldHints,
} from '@portal/contract/sync/enrollment';

export interface NamedField {
  /** The path inside the enrollment settings: 'sessionObjectFieldNames.stateFieldName'. */
  readonly path: string;
  readonly hint: FieldHint;
}

export interface FieldGroup {
  readonly title: string;
  readonly note: string;
  /** The setting that names the Helium object of these attributes, if this group asks for it. */
  readonly objectName?: string;
  readonly fields: readonly NamedField[];
  /** Fields that rarely differ from the template: collapsed at first. */
  readonly advanced: readonly NamedField[];
}

type Hints = Readonly<Record<string, FieldHint>>;

function toFields<H extends Hints>(hints: H, prefix: string, names: readonly (keyof H & string)[]): NamedField[] {
  return names.map((name) => ({ path: `${prefix}${name}`, hint: hints[name] ?? 'string' }));
}

const userFields = (...names: (keyof typeof userFieldHints)[]) => toFields(userFieldHints, '', names);
const sessionUserFields = (...names: (keyof typeof sessionUserFieldHints)[]) =>
  toFields(sessionUserFieldHints, '', names);
const sessionFields = (...names: (keyof typeof sessionObjectFieldHints)[]) =>
  toFields(sessionObjectFieldHints, 'sessionObjectFieldNames.', names);
const containerFields = (...names: (keyof typeof sessionContainerObjectFieldHints)[]) =>
  toFields(sessionContainerObjectFieldHints, 'sessionContainerObjectFieldNames.', names);

const deviceNote = 'What the sync records about the device.';

/** Every field name of a mode exactly once, grouped by topic. */
export const enrollmentGroups: Readonly<Record<EnrollmentType, readonly FieldGroup[]>> = {
  user: [
    {
      title: 'Access and enrollment',
      note: 'Attributes of the Helium user object that control enrollment and hold its requests.',
      fields: userFields(
        'allowedAccessFieldName',
        'enrolledFieldName',
        'generateEnrollmentCodeFieldName',
        'enrollmentCodeFieldName',
        'performReEnrollmentFieldName',
      ),
      advanced: userFields('reEnrollmentLastProcessedFieldName', 'barcodeFieldName', 'urlFieldName'),
    },
    {
      title: 'Device',
      note: deviceNote,
      fields: userFields(
        'deviceModelFieldName',
        'deviceOsFieldName',
        'journeyLauncherVersionFieldName',
        'lastConnectedFieldName',
      ),
      advanced: [],
    },
  ],
  session: [
    {
      title: 'User',
      note: 'Attributes of the Helium user object. A locked user is signed out of any session and cannot log in.',
      fields: sessionUserFields(
        'lockedFieldName',
        'enrolledFieldName',
        'generateEnrollmentCodeFieldName',
        'enrollmentCodeFieldName',
        'lastConnectedAtFieldName',
      ),
      advanced: [],
    },
    {
      title: 'Sessions',
      note: 'One object per device of a user. Its table is truncated and rebuilt at each update interval.',
      objectName: 'sessionObjectName',
      fields: sessionFields(
        'heliumObjectFkFieldName',
        'stateFieldName',
        'labelFieldname',
        'lastConnectedAtFieldName',
        'performReAuthenticateFieldName',
      ),
      advanced: sessionFields(
        'createdAtFieldName',
        'lastAuthenticatedAtFieldName',
        'signedOutAtFieldName',
        'reAuthenticateLastProcessedFieldName',
      ),
    },
    {
      title: 'Session containers (optional)',
      note: 'The app container a session runs in. Example version: 3.30.3. To skip containers, leave the object and all of its fields empty.',
      objectName: 'sessionContainerObjectName',
      fields: containerFields('sessionObjectFkFieldName', 'versionFieldName', 'platformFieldName', 'bundleIdFieldName'),
      advanced: [],
    },
  ],
};
