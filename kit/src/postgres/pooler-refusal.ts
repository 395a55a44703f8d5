import pg from 'pg';

/**
 * protocol_violation. PostgreSQL reports it for a wrong message, a pooler for whatever ends a
 * connection.
 */
const protocolViolation = '08P01';

const refusedParameter = /unsupported startup parameter(?: in options)?: (\S+)/;

/**
 * Returns what is wrong with an address that a pooler refuses, with the remedy, as the rest of a
 * sentence that begins with the database's name; undefined for any other error.
 */
export function explainPoolerRefusal(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== protocolViolation) return undefined;
  const parameter = refusedParameter.exec(error.message)?.[1];
  return (
    parameter &&
    `is behind a pooler that refuses the parameter ${parameter}; remove it from the address of the database`
  );
}

/**
 * Returns whether a pooler reports that its server is unreachable, or has no connection for this
 * client.
 */
export function isPoolerOutage(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.code === protocolViolation &&
    error.severity === 'FATAL' &&
    !refusedParameter.test(error.message)
  );
}
