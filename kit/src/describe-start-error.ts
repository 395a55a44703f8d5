import { ConfigurationProblem } from './config.ts';
import { isOutage } from './postgres/pool.ts';

export interface StartedService {
  /** As a sentence goes on after "The": `sync service`. */
  readonly name: string;
  /** Whom the database refuses. */
  readonly databaseUser: string;
  /** The environment variable with its port. */
  readonly portVariable: string;
}

/** Says why a service could not start, for the person who started it; a bug keeps its stack. */
export function describeStartError(error: unknown, { name, databaseUser, portVariable }: StartedService): string {
  if (!(error instanceof Error)) return `The ${name} could not start: ${error}`;
  if (error instanceof ConfigurationProblem) return error.message;
  const code = 'code' in error ? String(error.code) : '';
  const port = 'port' in error ? Number(error.port) : undefined;
  if ('syscall' in error && error.syscall === 'listen') {
    if (code === 'EADDRINUSE') return `Port ${port} is taken by another program. Set ${portVariable} to another one.`;
    if (code === 'EACCES')
      return `Port ${port} may not be used by this account. Set ${portVariable} to one above 1023.`;
    if (code === 'EADDRNOTAVAIL') return `This machine has no address ${process.env.HOST}. Set HOST to one it has.`;
  }
  if (code === 'ERR_SOCKET_BAD_PORT')
    return `${portVariable} is ${process.env[portVariable]}, which is not a port. Set it to a number up to 65535.`;
  if (isOutage(error)) return `The portal's database cannot be reached: ${error.message || code}.`;
  if (code.startsWith('28') || code === '3D000')
    return `The portal's database refuses to let ${databaseUser} in: ${error.message}.`;
  if (error.message.startsWith('The database could not be migrated')) return error.message;
  return `The ${name} could not start: ${error.stack ?? error.message}`;
}
