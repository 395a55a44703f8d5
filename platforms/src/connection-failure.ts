const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'the host name could not be resolved',
  EHOSTUNREACH: 'no route to the host',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
};

/**
 * Describes why a system cannot be reached. `fetch` itself reports only "fetch failed" and hides
 * the reason in its cause.
 */
export function describeConnectionFailure(problem: unknown): string {
  for (let error = problem; error instanceof Error; error = error.cause) {
    const code = 'code' in error ? String(error.code) : '';
    const reason = reasons[code];
    if (reason) return reason;
    if (error.cause === undefined) return code || error.message;
  }
  return 'unknown error';
}
