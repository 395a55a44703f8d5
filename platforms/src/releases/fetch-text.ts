import { Problem, Unreachable } from '@portal/kit/problems';
import { describeConnectionFailure } from '../connection-failure.ts';

export interface FetchOptions {
  /** The limit for the whole response, not its first byte. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Returns the text at an address of the release repository. Does not follow redirects. Throws
 * Unreachable with the reason.
 */
export async function fetchText(address: string, { timeoutMs, maxBytes, headers = {} }: FetchOptions): Promise<string> {
  const { host, pathname } = new URL(address);
  const repository = `The release repository ${host}`;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(address, { headers, redirect: 'manual', signal });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Unreachable(`${repository} returned status ${response.status} for ${pathname}.`);
    }
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new Unreachable(`${repository} returned more than ${maxBytes} bytes for ${pathname}.`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (signal.aborted) {
      const within = `${timeoutMs / 1000} s`;
      throw new Unreachable(`${repository} did not respond to ${pathname} within ${within}.`, { timedOut: true });
    }
    throw new Unreachable(`${repository} cannot be reached: ${describeConnectionFailure(error)}.`, { cause: error });
  }
}
