/** The failures of calls to Journey, distinguished by what the caller can do next. */
import { Problem, type ProblemOptions } from '@portal/kit/problems';

/**
 * - `credentials-rejected`: calls fail until someone corrects the credentials or permissions
 * - `rate-limited`: nothing was done; retry after `retryAfterMs`, which is at least 1 s
 * - `server-error`: status 5xx or 408; retry later, and not before `retryAfterMs` if present
 * - `unreachable`: there was no connection, so nothing was sent
 * - `no-response`: the call was sent, and then timed out or lost its connection
 * - `unexpected-response`: a web page, no JSON, another shape, or a redirect; retry later: a
 *   proxy may be the cause
 * - `too-large`: a retry fails too; send less (`request`) or ask for less (`response`)
 * - `invalid-request`, `not-found`: Journey's own error with its `type` (`journeyErrors`); a retry
 *   fails too
 * - `file-failed`: a file was not downloaded, and nothing is known about the deployment; retry
 *   later, and not before `retryAfterMs` if present
 * - `throttled`: not sent because of the portal's own limits; see `journey-rate-limiter.ts`
 */
export type JourneyFailure =
  | { readonly kind: 'credentials-rejected' }
  | { readonly kind: 'rate-limited'; readonly retryAfterMs: number }
  | { readonly kind: 'server-error'; readonly status: number; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'no-response'; readonly timedOut: boolean }
  | { readonly kind: 'unexpected-response' }
  | { readonly kind: 'too-large'; readonly what: 'request' | 'response' }
  | { readonly kind: 'invalid-request'; readonly type: string }
  | { readonly kind: 'not-found'; readonly type: string }
  | { readonly kind: 'file-failed'; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'throttled'; readonly retryAfterMs: number };

export type JourneyFailureKind = JourneyFailure['kind'];

/** Failures of a write that leave open whether it was applied. */
const ambiguousKinds: ReadonlySet<JourneyFailureKind> = new Set([
  'server-error',
  'no-response',
  'unexpected-response',
  'too-large',
]);

interface JourneyProblemOptions extends ProblemOptions {
  /** Whether the call changes something. Default: false. */
  readonly isWrite?: boolean;
}

/** A failed call. Decide by `failure.kind`, never by the message, which is for people. */
export class JourneyProblem extends Problem {
  /**
   * The status for the portal's own API. Never 401, because a deployment's credentials are not
   * those of the signed-in user.
   */
  readonly status: number;
  readonly failure: JourneyFailure;
  /** The call was a write, and it is unknown whether Journey applied it. */
  readonly mayBeApplied: boolean;

  constructor(message: string, failure: JourneyFailure, { isWrite = false, ...options }: JourneyProblemOptions = {}) {
    super(message, options);
    this.failure = failure;
    this.status = toHttpStatus(failure);
    this.mayBeApplied = isWrite && ambiguousKinds.has(failure.kind);
  }
}

function toHttpStatus(failure: JourneyFailure): number {
  switch (failure.kind) {
    case 'invalid-request':
      return 400;
    case 'not-found':
      return 404;
    case 'no-response':
      return failure.timedOut ? 504 : 502;
    default:
      return 502;
  }
}
