import { ConfigurationProblem } from './config.ts';
import { hideAddresses } from './hide-addresses.ts';
import { explainUnusableAddress } from './postgres/address-problem.ts';
import { explainRefusedChange, isOutage } from './postgres/pool.ts';

export interface StartedService {
  /** The service's name in a sentence, after "The": `sync service`. */
  readonly name: string;
  /** The database client's name in a sentence. */
  readonly databaseUser: string;
  /** The environment variable that sets its port. */
  readonly portVariable: string;
}

/**
 * Describes for operators why a service could not start. Unexpected errors include their stack, and
 * only the hosts of addresses.
 */
export function describeStartError(error: unknown, service: StartedService): string {
  return hideAddresses(describe(error, service));
}

function describe(error: unknown, { name, databaseUser, portVariable }: StartedService): string {
  if (!(error instanceof Error)) return `The ${name} could not start: ${error}`;
  if (error instanceof ConfigurationProblem) return error.message;
  const code = 'code' in error ? String(error.code) : '';
  const port = 'port' in error ? Number(error.port) : undefined;
  if ('syscall' in error && error.syscall === 'listen') {
    if (code === 'EADDRINUSE') return `Port ${port} is already in use. Set ${portVariable} to another port.`;
    if (code === 'EACCES')
      return `Port ${port} requires privileges that this account does not have. Set ${portVariable} to a port above 1023.`;
    if (code === 'EADDRNOTAVAIL')
      return `This machine does not have the address ${process.env.HOST}. Set HOST to one of its addresses.`;
  }
  if (code === 'ERR_SOCKET_BAD_PORT')
    return `${portVariable} is ${process.env[portVariable]}, which is not a valid port. Set it to a number up to 65535.`;
  const reason = explainUnusableAddress(error);
  if (reason !== undefined) return `The portal's database ${reason}.`;
  if (isOutage(error)) return `The portal's database is unreachable: ${error.message || code}.`;
  const refusal = explainRefusedChange(error);
  if (refusal !== undefined) return `The portal's database accepts no changes at the moment (${refusal}).`;
  if (code.startsWith('28') || code === '3D000')
    return `The portal's database rejected ${databaseUser}: ${error.message}.`;
  if (error.message.startsWith('The database could not be migrated')) return error.message;
  return `The ${name} could not start: ${error.stack ?? error.message}`;
}
