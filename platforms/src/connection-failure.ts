const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  ENOTFOUND: 'its name is unknown',
  EAI_AGAIN: 'its name could not be looked up',
  EHOSTUNREACH: 'there is no way to it',
  ETIMEDOUT: 'it does not respond',
  UND_ERR_CONNECT_TIMEOUT: 'it does not respond',
};

/**
 * Says why a system cannot be reached: fetch says only "fetch failed" and hides the reason in its
 * cause.
 */
export function describeConnectionFailure(problem: unknown): string {
  for (let error = problem; error instanceof Error; error = error.cause) {
    const code = 'code' in error ? String(error.code) : '';
    const reason = reasons[code];
    if (reason) return reason;
    if (error.cause === undefined) return code || error.message;
  }
  return 'for an unknown reason';
}
