/** Everything that can go wrong with a call. `message` is a sentence for people. */
export class CallProblem extends Error {
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly statusText: string;
  readonly title: string | undefined;
  readonly requestId: string | undefined;
  /**
   * Stable word of the contract ('invalid', 'refused', …), or ours: 'no-answer', 'bad-answer',
   * 'http'.
   */
  readonly kind: string;
  readonly fields: Record<string, string> | undefined;
  /** The body as it came, for answers that carry more than the problem's fields. */
  readonly body: unknown;

  constructor(
    what: { status: number; statusText: string; message: string; kind: string } & {
      title?: string | undefined;
      requestId?: string | undefined;
      fields?: Record<string, string> | undefined;
      body?: unknown;
    },
  ) {
    super(what.message);
    this.name = 'CallProblem';
    this.status = what.status;
    this.statusText = what.statusText;
    this.title = what.title;
    this.requestId = what.requestId;
    this.kind = what.kind;
    this.fields = what.fields;
    this.body = what.body;
  }
}
