import type { HeliumCredentials } from '@portal/platforms/helium/client';
import type { AuditRecord, CallOrigin } from '../audit/audit-trail.ts';
import type { ServedEnvironment } from '../platform/environments.ts';
import type { AppList, AppListOptions } from './app-lists.ts';

/** Credentials in plain text, held only during a platform request and never logged. */
export type PlatformCredentials = HeliumCredentials;

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
  /** Whether the session changes nothing, because it stays signed in without use. */
  readonly isReadOnly: boolean;
  /** Decrypts the credentials of a session; call it only when they are needed. */
  credentials(): PlatformCredentials;
  /**
   * Returns the apps that the platform lists for these credentials; some seconds old unless
   * `fresh`. Throws Unreachable while the platform is silent, except `forReading`.
   */
  apps(options?: AppListOptions): Promise<AppList>;
  /** Adds an entry of this caller to the audit trail; never throws. */
  record(record: AuditRecord): Promise<void>;
}
