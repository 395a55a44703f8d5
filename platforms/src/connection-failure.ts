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
    const code = getConnectionErrorCode(error);
    const reason = reasons[code];
    if (reason) return reason;
    if (error.cause === undefined) return code || error.message;
  }
  return 'unknown error';
}

const noAnswerCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether no connection was established; a connection that was lost is something else. */
export function isNotConnected(problem: unknown): boolean {
  for (let error = problem; error instanceof Error; error = error.cause) {
    if (noAnswerCodes.has(getConnectionErrorCode(error))) return true;
  }
  return false;
}

/**
 * Returns the error's code, or ''. A host with several addresses fails with one error for each; the
 * first counts.
 */
export function getConnectionErrorCode(problem: unknown): string {
  if (problem instanceof AggregateError) return getConnectionErrorCode(problem.errors[0]);
  return problem instanceof Error && 'code' in problem ? String(problem.code) : '';
}
