/** A failed call. `message` is a sentence for users. */
export class CallProblem extends Error {
  /** HTTP status; 0 when there was no response. */
  readonly status: number;
  readonly statusText: string;
  readonly title: string | undefined;
  readonly requestId: string | undefined;
  /**
   * The problem kind: a contract value ('invalid', 'refused', …) or one set by the page:
   * 'no-response', 'invalid-response', 'http'.
   */
  readonly kind: string;
  readonly fields: Record<string, string> | undefined;
  /** When the portal asks to repeat the call; undefined if it does not. */
  readonly retryAfterMs: number | undefined;
  /** The part that the portal could not reach: `the sync service`. */
  readonly unavailable: string | undefined;
  /** The raw response body, for problems with more data than the standard fields. */
  readonly body: unknown;

  constructor(
    init: { status: number; statusText: string; message: string; kind: string } & {
      title?: string | undefined;
      requestId?: string | undefined;
      fields?: Record<string, string> | undefined;
      retryAfterMs?: number | undefined;
      unavailable?: string | undefined;
      body?: unknown;
    },
  ) {
    super(init.message);
    this.name = 'CallProblem';
    this.status = init.status;
    this.statusText = init.statusText;
    this.title = init.title;
    this.requestId = init.requestId;
    this.kind = init.kind;
    this.fields = init.fields;
    this.retryAfterMs = init.retryAfterMs;
    this.unavailable = init.unavailable;
    this.body = init.body;
  }
}
