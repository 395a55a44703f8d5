/**
 * The attributes in which an app stores its users' devices for Journey's enrollment. Only the sync
 * writes and reads them, on the Helium side.
 */
import { bool, choice, datetime, none, string } from '../model.ts';

/** For a user with a single device. */
export const deviceOfUser = {
  allowedAccess: bool(none),
  enrolled: bool(none),
  journeyLauncherVersion: string(none),
  deviceOs: string(none),
  deviceModel: string(none),
  lastConnected: datetime(none),
  barcode: string(none),
  url: string(none),
  performReEnrollment: bool(none),
  reEnrollmentLastProcessed: datetime(none),
  generateEnrollmentCode: bool(none),
  enrollmentCode: string(none),
};

/** For a user with several devices. */
export const userOfDevices = {
  enrolled: bool(none),
  locked: bool(none),
  lastConnectedAt: datetime(none),
  generateEnrollmentCode: bool(none),
  enrollmentCode: string(none),
};

export const session = {
  state: choice(none),
  label: string(none),
  createdAt: datetime(none),
  lastAuthenticatedAt: datetime(none),
  lastConnectedAt: datetime(none),
  signedOutAt: datetime(none),
  performReAuthenticate: bool(none),
  reAuthenticateLastProcessed: datetime(none),
};

export const container = { version: string(none), bundleId: string(none), platform: string(none) };

/** The names of these attributes, which devices do not show. */
export const deviceAttributes: ReadonlySet<string> = new Set([
  ...Object.keys(deviceOfUser),
  ...Object.keys(userOfDevices),
]);
