import { isPortFree } from '@portal/kit/ports';

interface SyncAddress {
  /** The address that the server uses. */
  readonly url: string;
  /**
   * The port for a new service on this machine; null if the service already runs, here or
   * elsewhere.
   */
  readonly port: number | null;
}

const localHosts = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Finds the address of the sync service. A configured local address gets a new service unless its
 * port is in use. Without a configured address, a new service gets any port.
 */
export async function findSyncAddress(
  configuredUrl: string | undefined,
  choosePort: () => Promise<number>,
): Promise<SyncAddress> {
  if (configuredUrl === undefined) {
    const port = await choosePort();
    return { url: `http://127.0.0.1:${port}`, port };
  }
  const url = new URL(configuredUrl);
  const port = Number(url.port || 80);
  const needsStart = localHosts.includes(url.hostname) && url.protocol === 'http:' && (await isPortFree(port));
  return { url: configuredUrl, port: needsStart ? port : null };
}
