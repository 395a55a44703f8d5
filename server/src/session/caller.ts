import type { HeliumCredentials } from '@portal/platforms/helium/client';
import type { ServedEnvironment } from '../platform/environments.ts';
import type { AppList, AppListOptions } from './app-lists.ts';

/** Credentials in plain text, held only during a platform request and never logged. */
export type PlatformCredentials = HeliumCredentials;

/** The origin of a request, as recorded in the audit trail. */
export interface CallOrigin {
  readonly address: string;
  readonly userAgent: string | null;
  readonly requestId: string;
}

/** A configured service account. It has no apps and no platform credentials. */
export interface MachineCaller {
  readonly username: string;
  readonly environment: ServedEnvironment;
  readonly origin: CallOrigin;
}

/** A caller with a session, or with HTTP Basic for one request. */
export interface Caller {
  readonly username: string;
  readonly environment: ServedEnvironment;
  readonly origin: CallOrigin;
  /** The session's public id, for the audit trail and undo; null with HTTP Basic. */
  readonly sessionId: string | null;
  readonly expiresAt: Date | null;
  /** Decrypts the credentials of a session; call it only when they are needed. */
  credentials(): PlatformCredentials;
  /**
   * Returns the apps that the platform lists for these credentials; some seconds old unless
   * `fresh`. Throws Unreachable while the platform is silent, except `forReading`.
   */
  apps(options?: AppListOptions): Promise<AppList>;
}
