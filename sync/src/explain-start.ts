import { ConfigurationProblem } from '@portal/kit/config';
import { isOutage } from '@portal/kit/postgres/pool';

/** Why the sync service could not start, in words for whoever started it; a bug keeps its stack. */
export function explainStart(error: unknown): string {
  if (!(error instanceof Error)) return `The sync service could not start: ${error}`;
  if (error instanceof ConfigurationProblem) return error.message;
  const code = 'code' in error ? String(error.code) : '';
  const port = 'port' in error ? Number(error.port) : undefined;
  if (code === 'EADDRINUSE') return `Port ${port} is taken by another program. Set SYNC_PORT to another one.`;
  if (code === 'EACCES') return `Port ${port} may not be used by this account. Set SYNC_PORT to one above 1023.`;
  if (code === 'EADDRNOTAVAIL') return `This machine has no address ${process.env.HOST}. Set HOST to one it has.`;
  if (code === 'ERR_SOCKET_BAD_PORT')
    return `SYNC_PORT is ${process.env.SYNC_PORT}, which is not a port. Set it to a number up to 65535.`;
  if (isOutage(error)) return `The portal's database cannot be reached: ${error.message || code}.`;
  if (code.startsWith('28') || code === '3D000')
    return `The portal's database refuses to let the sync service in: ${error.message}.`;
  if (error.message.startsWith('The database could not be migrated')) return error.message;
  return `The sync service could not start: ${error.stack ?? error.message}`;
}
