import type { HeliumCredentials } from '@portal/platforms/helium/client';
import type { ServedEnvironment } from '../platform/environments.ts';
import type { AppList } from './app-lists.ts';

/** In the clear: only in hand while a call to the platform is made, never in a log or an error. */
export type PlatformCredentials = HeliumCredentials;

/** Where a call came from, as the audit trail keeps it. */
export interface CallOrigin {
  readonly address: string;
  readonly userAgent: string | null;
  readonly requestId: string;
}

/** Who calls: somebody with a session, or with HTTP Basic for this one call. */
export interface Caller {
  readonly username: string;
  readonly environment: ServedEnvironment;
  readonly origin: CallOrigin;
  /** The session's public number, for the audit trail and undo; null with HTTP Basic. */
  readonly sessionId: string | null;
  readonly expiresAt: Date | null;
  /** Decrypts them where they come from a session: ask when they are used. */
  credentials(): PlatformCredentials;
  /** What the platform shows these credentials; some seconds old at most unless `fresh`. */
  apps(options?: { readonly fresh: boolean }): Promise<AppList>;
}
