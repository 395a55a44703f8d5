import {
  type EnrollmentType,
  type FieldHint,
  sessionContainerObjectFieldHints,
  sessionObjectFieldHints,
  sessionUserFieldHints,
  userFieldHints,
} from '@portal/contract/sync-enrollment';

export interface NamedField {
  /** Behind the enrollment's own path: 'sessionObjectFieldNames.stateFieldName'. */
  readonly path: string;
  readonly hint: FieldHint;
}

export interface FieldGroup {
  readonly title: string;
  readonly note: string;
  /**
   * The setting that names the Helium object these are attributes of, where it is asked for here.
   */
  readonly objectName?: string;
  readonly fields: readonly NamedField[];
  /** Seldom named otherwise than in the template: folded away. */
  readonly advanced: readonly NamedField[];
}

type Hints = Readonly<Record<string, FieldHint>>;

function fieldsOf<H extends Hints>(hints: H, prefix: string, names: readonly (keyof H & string)[]): NamedField[] {
  return names.map((name) => ({ path: `${prefix}${name}`, hint: hints[name] ?? 'string' }));
}

const ofUser = (...names: (keyof typeof userFieldHints)[]) => fieldsOf(userFieldHints, '', names);
const ofSessionUser = (...names: (keyof typeof sessionUserFieldHints)[]) => fieldsOf(sessionUserFieldHints, '', names);
const ofSession = (...names: (keyof typeof sessionObjectFieldHints)[]) =>
  fieldsOf(sessionObjectFieldHints, 'sessionObjectFieldNames.', names);
const ofContainer = (...names: (keyof typeof sessionContainerObjectFieldHints)[]) =>
  fieldsOf(sessionContainerObjectFieldHints, 'sessionContainerObjectFieldNames.', names);

const device = 'What the service writes down of the device.';

/** Every field name of a mode once, grouped as people think of them. */
export const enrollmentGroups: Readonly<Record<EnrollmentType, readonly FieldGroup[]>> = {
  user: [
    {
      title: 'Access and enrollment',
      note: 'Attributes of the Helium user object that say who may enroll, and take the requests.',
      fields: ofUser(
        'allowedAccessFieldName',
        'enrolledFieldName',
        'generateEnrollmentCodeFieldName',
        'enrollmentCodeFieldName',
        'performReEnrollmentFieldName',
      ),
      advanced: ofUser('reEnrollmentLastProcessedFieldName', 'barcodeFieldName', 'urlFieldName'),
    },
    {
      title: 'Device',
      note: device,
      fields: ofUser(
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
      fields: ofSessionUser(
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
      note: 'One object per device of a user. Its table is truncated and filled anew at each update interval.',
      objectName: 'sessionObjectName',
      fields: ofSession(
        'heliumObjectFkFieldName',
        'stateFieldName',
        'labelFieldname',
        'lastConnectedAtFieldName',
        'performReAuthenticateFieldName',
      ),
      advanced: ofSession(
        'createdAtFieldName',
        'lastAuthenticatedAtFieldName',
        'signedOutAtFieldName',
        'reAuthenticateLastProcessedFieldName',
      ),
    },
    {
      title: 'Session containers',
      note: 'The app container a session runs in. An example of a version is 3.30.3.',
      objectName: 'sessionContainerObjectName',
      fields: ofContainer('sessionObjectFkFieldName', 'versionFieldName', 'platformFieldName', 'bundleIdFieldName'),
      advanced: [],
    },
  ],
};
