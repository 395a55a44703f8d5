/** Limits for requests while they arrive, which apply before it is known who sends them. */
export interface HttpLimits {
  /** Maximum size of the headers. */
  readonly maxHeaderBytes: number;
  readonly headersTimeoutMs: number;
  /** Time limit for the whole request to arrive, so that slow senders do not hold connections. */
  readonly requestTimeoutMs: number;
  /** How often both time limits are checked. */
  readonly checkIntervalMs: number;
  /** Maximum size of all bodies together that callers without a session are still sending. */
  readonly unfinishedBytes: number;
}

export const defaultHttpLimits: HttpLimits = {
  maxHeaderBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  checkIntervalMs: 5_000,
  unfinishedBytes: 32 * 1024 * 1024,
};
