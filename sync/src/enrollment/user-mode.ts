/** Single device per user: builds what Helium's user object shows about a user's device. */
import { JourneyEnrollment } from '@portal/platforms/journey/user-wire';
import type { JourneyObject } from '@portal/platforms/journey/wire';
import { type CellRow, type Fact, parseInstant, toCells } from './cells.ts';
import type { Columns, UserField } from './enrollment-columns.ts';

/** A user in Journey's list of users, which contains no devices. */
export interface ListedUser {
  readonly locked: boolean;
  readonly last_connected_at: string | null;
}

/** Fields that are set in Helium and changed only by enrollment requests. */
const requestFields: ReadonlySet<UserField> = new Set([
  'performReEnrollmentFieldName',
  'reEnrollmentLastProcessedFieldName',
  'generateEnrollmentCodeFieldName',
  'enrollmentCodeFieldName',
]);

/** Returns the fields that each round writes. Access is known only from Journey's list of users. */
export function shownFields(columns: Columns<UserField>, hasList: boolean): Columns<UserField> {
  return new Map(
    [...columns].filter(([field]) => !requestFields.has(field) && (hasList || field !== 'allowedAccessFieldName')),
  );
}

/**
 * Returns a row for each user that reports an enrollment. None does while "Multiple devices per
 * user" is on.
 *
 * @param columns the result of `shownFields`
 * @param list null when Journey has none
 */
export function userRows(
  columns: Columns<UserField>,
  users: readonly JourneyObject[],
  list: ReadonlyMap<string, ListedUser> | null,
): CellRow[] {
  return users.flatMap((user) => {
    const enrollment = JourneyEnrollment.safeParse(user.enrollment).data;
    if (enrollment === undefined) return [];
    const listed = list?.get(user.id);
    return { id: user.id, cells: toCells(columns, toFacts(enrollment, listed)) };
  });
}

function toFacts(enrollment: JourneyEnrollment, listed: ListedUser | undefined): { readonly [N in UserField]?: Fact } {
  return {
    // A user who is not locked may enroll, with or without a device.
    allowedAccessFieldName: listed === undefined || !listed.locked,
    enrolledFieldName: enrollment.enrolled,
    urlFieldName: enrollment.url,
    // The app draws the image: this text is the content of the QR code.
    barcodeFieldName: enrollment.url,
    journeyLauncherVersionFieldName: enrollment.launcher_version,
    deviceOsFieldName: enrollment.device_os,
    deviceModelFieldName: enrollment.device_model,
    lastConnectedFieldName: parseInstant(enrollment.last_connected_at ?? listed?.last_connected_at ?? null),
  };
}
