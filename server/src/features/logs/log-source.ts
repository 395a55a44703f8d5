import type { LogRecord } from './log-chunk.ts';

/** Who the platform is asked as. */
export interface LogCredentials {
  /** The same for the same user name and password; tells nothing of them. */
  readonly key: string;
  /** In the clear; not kept. */
  reveal(): { readonly userName: string; readonly password: string };
}

/** Where one app's lines come from. */
export interface LogSource {
  /**
   * Batches as they arrive, none of them empty, until the signal ends it. Throws NotSignedIn, Refused or NotFound where
   * the platform refuses these credentials, and anything else when it is in trouble.
   */
  stream(request: {
    readonly credentials: LogCredentials;
    readonly signal: AbortSignal;
    /** The platform has accepted the stream; from here on nothing is missed. */
    readonly onOpen: () => void;
  }): AsyncIterable<readonly LogRecord[]>;
  /**
   * Rows of the app's `__logging_log__` later than an instant, oldest first: the newest `most` of them.
   * Throws when the app's data source is not configured or cannot be reached.
   */
  logged(wanted: { readonly afterMillis: number; readonly most: number }): Promise<readonly LogRecord[]>;
}
