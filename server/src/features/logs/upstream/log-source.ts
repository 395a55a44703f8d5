import { NotFound, NotSignedIn, type Problem, Refused } from '@portal/kit/problems';
import type { ReceivedLine } from '../ring/ring-chunk.ts';

/** The credentials used for the platform. */
export interface LogCredentials {
  /** Identifies the user name and password without revealing them. */
  readonly key: string;
  /** Returns the plain text; do not store it. */
  reveal(): { readonly userName: string; readonly password: string };
}

export interface RowsRequest {
  /** Exclusive lower bound of the timestamps. */
  readonly afterMillis: number;
  /** Maximum number of rows; the newest are returned. */
  readonly maxRows: number;
}

/** Reads one app's log lines. */
export interface LogSource {
  /**
   * Yields non-empty batches as they arrive, until the signal aborts. Throws NotSignedIn, Refused
   * or NotFound if the platform refuses these credentials, and other errors if it fails.
   */
  stream(request: {
    readonly credentials: LogCredentials;
    readonly signal: AbortSignal;
    /** Called when the platform has accepted the stream; no line is missed from here on. */
    readonly onOpen: () => void;
  }): AsyncIterable<readonly ReceivedLine[]>;
  /**
   * Reads rows of the app's `__logging_log__`, oldest first. Throws if the data source is not
   * configured or unreachable.
   */
  readRows(request: RowsRequest): Promise<readonly ReceivedLine[]>;
}

/**
 * Checks whether the platform or the portal refuses access to a log; other errors may be temporary.
 */
export function isRefusal(problem: unknown): problem is Problem {
  return problem instanceof NotSignedIn || problem instanceof Refused || problem instanceof NotFound;
}
