/** Single device per user: builds what Helium's user object shows about a user's device. */
import { JourneyEnrollment } from '@portal/platforms/journey/user-wire';
import { type CellRow, cutText, type Fact, parseInstant, toCells } from './cells.ts';
import type { Columns, UserField } from './enrollment-columns.ts';

/** A user in Journey's list of users, which contains no devices. */
export interface ListedUser {
  /** Null when Journey does not report it. */
  readonly locked: boolean | null;
  readonly last_connected_at: string | null;
}

/** A user in Journey's list of objects. */
export interface UserEnrollmentObject {
  readonly id: string;
  /** As Journey reports it. */
  readonly enrollment: unknown;
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
  users: readonly UserEnrollmentObject[],
  list: ReadonlyMap<string, ListedUser> | null,
): CellRow[] {
  return users.flatMap((user) => {
    const enrollment = JourneyEnrollment.safeParse(user.enrollment).data;
    if (enrollment === undefined) return [];
    const listed = list?.get(user.id);
    return { id: user.id, cells: toCells(columns, toFacts(columns, enrollment, listed)) };
  });
}

function toFacts(
  columns: Columns<UserField>,
  enrollment: JourneyEnrollment,
  listed: ListedUser | undefined,
): { readonly [N in UserField]?: Fact } {
  const cut = (field: UserField, text: string | null) => cutText(text, columns.get(field));
  return {
    // A user who is not locked may enroll, with or without a device. An unknown user may not.
    ...(listed?.locked !== null && { allowedAccessFieldName: listed?.locked === false }),
    enrolledFieldName: enrollment.enrolled,
    urlFieldName: enrollment.url,
    // The app draws the image: this text is the content of the QR code.
    barcodeFieldName: enrollment.url,
    journeyLauncherVersionFieldName: cut('journeyLauncherVersionFieldName', enrollment.launcher_version),
    deviceOsFieldName: cut('deviceOsFieldName', enrollment.device_os),
    deviceModelFieldName: cut('deviceModelFieldName', enrollment.device_model),
    lastConnectedFieldName: parseInstant(enrollment.last_connected_at ?? listed?.last_connected_at ?? null),
  };
}
