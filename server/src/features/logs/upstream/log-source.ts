import { NotFound, NotSignedIn, type Problem, Refused } from '@portal/kit/problems';
import type { LogRecord } from '../ring/log-chunk.ts';

/** Who the platform is asked as. */
export interface LogCredentials {
  /** The same for the same user name and password; tells nothing of them. */
  readonly key: string;
  /** In the clear; not kept. */
  reveal(): { readonly userName: string; readonly password: string };
}

export interface RowsRequest {
  /** Rows of later milliseconds. */
  readonly afterMillis: number;
  /** The newest so many of them. */
  readonly maxRows: number;
}

/** Where one app's lines come from. */
export interface LogSource {
  /**
   * Batches as they arrive, none of them empty, until the signal ends it. Throws NotSignedIn,
   * Refused or NotFound where the platform refuses these credentials, and anything else when it is
   * in trouble.
   */
  stream(request: {
    readonly credentials: LogCredentials;
    readonly signal: AbortSignal;
    /** The platform has accepted the stream; from here on nothing is missed. */
    readonly onOpen: () => void;
  }): AsyncIterable<readonly LogRecord[]>;
  /**
   * Rows of the app's `__logging_log__`, oldest first. Throws when its data source is not
   * configured or cannot be reached.
   */
  readRows(request: RowsRequest): Promise<readonly LogRecord[]>;
}

/** Whether the platform, or the portal, does not let somebody see a log; anything else may pass. */
export function isRefusal(problem: unknown): problem is Problem {
  return problem instanceof NotSignedIn || problem instanceof Refused || problem instanceof NotFound;
}
