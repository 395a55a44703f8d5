/**
 * Everything that can go wrong between us and Journey, told apart for those who must decide what to
 * do next.
 */
import { Problem, type ProblemOptions } from '@portal/kit/problems';

/**
 * - `credentials-refused`: nothing will go until somebody corrects them, or what they may do
 * - `rate-limited`: nothing was done; not again before `retryAfterMs`, which is at least 1 s
 * - `server-trouble`: a status of 5xx or 408; again later, and not before `retryAfterMs` if it is
 * there
 * - `unreachable`: there was no connection, so nothing was sent
 * - `no-answer`: sent, and then the time was over or the connection cut
 * - `unexpected-answer`: a web page, no JSON, another shape, a redirect; again later, for it may be
 * a proxy's
 * - `too-large`: the same again will not go; send fewer (`request`) or ask for fewer (`answer`)
 * - `invalid-request`, `not-found`: Journey's own verdict, `type` in its words (`JOURNEY_ERRORS`);
 * the same again will not go
 * - `held-back`: not sent, by our own pace; see `journey-pace.ts`
 */
export type JourneyFailure =
  | { readonly kind: 'credentials-refused' }
  | { readonly kind: 'rate-limited'; readonly retryAfterMs: number }
  | { readonly kind: 'server-trouble'; readonly status: number; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'no-answer'; readonly timedOut: boolean }
  | { readonly kind: 'unexpected-answer' }
  | { readonly kind: 'too-large'; readonly what: 'request' | 'answer' }
  | { readonly kind: 'invalid-request'; readonly type: string }
  | { readonly kind: 'not-found'; readonly type: string }
  | { readonly kind: 'held-back'; readonly retryAfterMs: number };

export type JourneyFailureKind = JourneyFailure['kind'];

/** Of a write, these leave open whether it was applied. */
const openOutcomes: ReadonlySet<JourneyFailureKind> = new Set([
  'server-trouble',
  'no-answer',
  'unexpected-answer',
  'too-large',
]);

interface JourneyProblemOptions extends ProblemOptions {
  /** Whether the call was to change something; false when left out. */
  readonly isWrite?: boolean;
}

/** Decide by `failure.kind`, never by the message, which is for people. */
export class JourneyProblem extends Problem {
  /**
   * For the portal's own edges. Wrong credentials of a deployment are not those of the person who
   * asks, hence never 401.
   */
  readonly status: number;
  readonly failure: JourneyFailure;
  /** The call was a write, and whether Journey carried it out is unknown. */
  readonly mayBeApplied: boolean;

  constructor(message: string, failure: JourneyFailure, { isWrite = false, ...options }: JourneyProblemOptions = {}) {
    super(message, options);
    this.failure = failure;
    this.status = statusOf(failure);
    this.mayBeApplied = isWrite && openOutcomes.has(failure.kind);
  }
}

function statusOf(failure: JourneyFailure): number {
  switch (failure.kind) {
    case 'invalid-request':
      return 400;
    case 'not-found':
      return 404;
    case 'no-answer':
      return failure.timedOut ? 504 : 502;
    default:
      return 502;
  }
}
