import { isFree } from '@portal/kit/ports';

export interface SyncPlace {
  /** Where the server finds the sync service. */
  readonly url: string;
  /** Where to start one on this machine; null: one runs already, here or elsewhere. */
  readonly port: number | null;
}

const here = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Where the sync service is: at the named address when that is another machine's, or somebody serves there already;
 * otherwise it is to be started there, or, where the address only stands for none, at any port.
 */
export async function findSyncPlace(named: string, none: string, anyPort: () => Promise<number>): Promise<SyncPlace> {
  if (named === none) {
    const port = await anyPort();
    return { url: `http://127.0.0.1:${port}`, port };
  }
  const url = new URL(named);
  const port = Number(url.port || 80);
  const isOurs = here.includes(url.hostname) && url.protocol === 'http:' && (await isFree(port));
  return { url: named, port: isOurs ? port : null };
}
