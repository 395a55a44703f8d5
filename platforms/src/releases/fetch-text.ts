import { Problem, Unreachable } from '@portal/kit/problems';
import { describeConnectionFailure } from '../connection-failure.ts';
import { type Followed, fetchWithRedirects } from '../follow-redirects.ts';

export interface RepositoryOptions {
  /** The limit for the whole response, not its first byte. */
  readonly timeoutMs: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Hosts besides the repository's own that downloads may be redirected to. */
  readonly storageHosts?: readonly string[];
}

export interface FetchOptions extends RepositoryOptions {
  readonly maxBytes: number;
}

/** Named in messages. */
const devClientSettings = { credentials: 'devClient.metadataUrl', storageHosts: 'devClient.storageHosts' };

/**
 * Returns the text at an address of the release repository. Throws Unreachable with the reason.
 */
export function fetchText(address: string, options: FetchOptions): Promise<string> {
  const { host, pathname } = new URL(address);
  return call(address, 'GET', options, async (followed) => {
    const { response } = followed;
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Unreachable(describeStatus(address, followed, options));
    }
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > options.maxBytes)
        throw new Unreachable(
          `The release repository ${host} returned more than ${options.maxBytes} bytes for ${pathname}.`,
        );
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  });
}

export interface Head {
  readonly status: number;
  /** Of the response and of the redirects before it: those of the repository come first. */
  readonly headers: readonly Headers[];
}

/** Returns what a repository says of a file without sending it. Throws Unreachable. */
export function fetchHead(address: string, options: RepositoryOptions): Promise<Head> {
  return call(address, 'HEAD', options, async ({ response, redirects }) => ({
    status: response.status,
    headers: [...redirects, response.headers],
  }));
}

async function call<Result>(
  address: string,
  method: 'GET' | 'HEAD',
  { headers = {}, timeoutMs, storageHosts = [] }: RepositoryOptions,
  read: (followed: Followed) => Promise<Result>,
): Promise<Result> {
  const { host, pathname } = new URL(address);
  const repository = `The release repository ${host}`;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await read(await fetchWithRedirects(address, { method, headers, signal, hosts: storageHosts }));
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (signal.aborted) {
      const within = `${timeoutMs / 1000} s`;
      throw new Unreachable(`${repository} did not respond to ${pathname} within ${within}.`, { timedOut: true });
    }
    throw new Unreachable(`${repository} cannot be reached: ${describeConnectionFailure(error)}.`, { cause: error });
  }
}

function describeStatus(
  address: string,
  { response, refusedHost }: Followed,
  { headers = {} }: RepositoryOptions,
): string {
  const { host, pathname } = new URL(address);
  const status = `returned status ${response.status} for ${pathname}.`;
  const repository = `The release repository ${host}`;
  if (refusedHost !== null && refusedHost !== host)
    return `${repository} ${status} It redirects to ${refusedHost}, which ${devClientSettings.storageHosts} does not list.`;
  if (response.status !== 401) return `${repository} ${status}`;
  return 'authorization' in headers
    ? `${repository} ${status} It does not accept the user name and password in ${devClientSettings.credentials}.`
    : `${repository} ${status} It requires a sign-in: add a user name and password to ${devClientSettings.credentials}.`;
}
