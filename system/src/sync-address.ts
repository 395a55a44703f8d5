import { isFree } from '@portal/kit/ports';

interface SyncAddress {
  /** Where the server finds the sync service. */
  readonly url: string;
  /** Where to start one on this machine; null: one runs already, here or elsewhere. */
  readonly port: number | null;
}

const here = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Finds where the sync service is. One named at an address of this machine is to be started there,
 * unless the port is taken already; where none is named, one is to be started at any port.
 */
export async function findSyncAddress(named: string | undefined, anyPort: () => Promise<number>): Promise<SyncAddress> {
  if (named === undefined) {
    const port = await anyPort();
    return { url: `http://127.0.0.1:${port}`, port };
  }
  const url = new URL(named);
  const port = Number(url.port || 80);
  const isOurs = here.includes(url.hostname) && url.protocol === 'http:' && (await isFree(port));
  return { url: named, port: isOurs ? port : null };
}
