const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'the host name could not be resolved',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_OVERFLOW: 'the response has too many headers',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is of an unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is of an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is of an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is of an unknown authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

/** PostgreSQL's driver and the one of sockets have no codes. */
const messages: readonly (readonly [RegExp, string])[] = [
  [/^(Connection terminated|Client has encountered a connection error)/, 'the connection was closed'],
  [/^(Query read timeout|timeout expired|Opening handshake has timed out)/, 'it did not respond in time'],
];

/** An answer of a proxy, as undici and `open-tunnel.ts` report it. */
const proxyAnswer = /^Proxy (?:response|Authentication Required) \((\d{3})\)/;

/** Whether a proxy has refused the call, so that it was never sent on. */
export function isRefusedByProxy(error: Error): boolean {
  return proxyAnswer.test(error.message);
}

/** What Node.js and its libraries call the kind of an error. A code never contains data. */
const namedCode = /^[A-Z][A-Z0-9_]{2,60}$/;

/**
 * Describes why a system cannot be reached, from known causes only: the message of an unknown error
 * may quote an address with its password. `fetch` reports only "fetch failed" and hides the reason
 * in its cause.
 */
export function describeConnectionFailure(problem: unknown): string {
  let lastCode = '';
  for (let error = problem; error instanceof Error; error = error.cause) {
    const code = getConnectionErrorCode(error);
    const { message } = error;
    const [, proxyStatus] = proxyAnswer.exec(message) ?? [];
    if (proxyStatus) return `the proxy refused the connection (status ${proxyStatus})`;
    const reason = reasons[code] ?? messages.find(([pattern]) => pattern.test(message))?.[1];
    if (reason) return reason;
    if (namedCode.test(code)) lastCode = code;
  }
  return lastCode || 'unknown error';
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
