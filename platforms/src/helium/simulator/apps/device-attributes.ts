/**
 * What an app keeps of its users' devices for Journey's enrollment: attributes that the sync fills
 * and reads on Helium's side alone.
 */
import { bool, datetime, none, string } from '../model.ts';

/** Of a user who has a single device. */
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

/** Of a user who may have several. */
export const userOfDevices = {
  enrolled: bool(none),
  locked: bool(none),
  lastConnectedAt: datetime(none),
  generateEnrollmentCode: bool(none),
  enrollmentCode: string(none),
};

export const session = {
  state: string(none),
  label: string(none),
  createdAt: datetime(none),
  lastAuthenticatedAt: datetime(none),
  lastConnectedAt: datetime(none),
  signedOutAt: datetime(none),
  performReAuthenticate: bool(none),
  reAuthenticateLastProcessed: datetime(none),
};

export const container = { version: string(none), bundleId: string(none), platform: string(none) };

/** By name: no part of what devices show. */
export const deviceAttributes: ReadonlySet<string> = new Set([
  ...Object.keys(deviceOfUser),
  ...Object.keys(userOfDevices),
]);
