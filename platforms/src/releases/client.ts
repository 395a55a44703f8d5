/**
 * The client with which the portal reads the latest release of a program from a Maven repository.
 */
import { Problem, Unreachable } from '@portal/kit/problems';
import { type FetchOptions, fetchText } from './fetch-text.ts';
import { readLatestRelease, readSha256 } from './wire.ts';

interface ReleasesOptions {
  /** The address of the program's `maven-metadata.xml`, without credentials. */
  readonly metadataUrl: string;
  /** Sent to the host of `metadataUrl` only. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The addresses of its two jars; `{version}` is replaced with the version. */
  readonly clientUrl: string;
  readonly noUiClientUrl: string;
  /** The limit per response. Default: 5 s. */
  readonly timeoutMs?: number;
}

export interface Release {
  /** Letters, digits, and `. _ + -` only. */
  readonly version: string;
  /** The checksums of the jars, 64 hexadecimal digits; null when the repository has none. */
  readonly clientSha256: string | null;
  readonly noUiClientSha256: string | null;
}

const maxMetadataBytes = 1024 * 1024;
const maxChecksumBytes = 1024;

/**
 * Throws Unreachable when the repository does not respond, does not return versions, or has only
 * snapshots.
 */
export async function fetchLatestRelease(options: ReleasesOptions): Promise<Release> {
  const { metadataUrl, clientUrl, noUiClientUrl, headers = {}, timeoutMs = 5_000 } = options;
  const xml = await fetchText(metadataUrl, { headers, timeoutMs, maxBytes: maxMetadataBytes });
  const version = parseLatestRelease(xml, metadataUrl);
  const { origin } = new URL(metadataUrl);
  const [clientSha256, noUiClientSha256] = await Promise.all(
    [clientUrl, noUiClientUrl].map((template) => {
      const url = withVersion(template, version);
      return fetchSha256(url, { timeoutMs, headers: new URL(url).origin === origin ? headers : {} });
    }),
  );
  return { version, clientSha256: clientSha256 ?? null, noUiClientSha256: noUiClientSha256 ?? null };
}

/** Replaces `{version}` in an address or a command. */
export function withVersion(template: string, version: string): string {
  return template.replaceAll('{version}', () => version);
}

function parseLatestRelease(xml: string, metadataUrl: string): string {
  const { host, pathname } = new URL(metadataUrl);
  let version: string | null;
  try {
    version = readLatestRelease(xml);
  } catch (error) {
    const reason = `The release repository ${host} returned something other than Maven metadata for ${pathname}.`;
    throw new Unreachable(reason, { cause: error });
  }
  if (version === null) throw new Unreachable(`The release repository ${host} lists no release at ${pathname}.`);
  return version;
}

/** Returns null on errors: a release without its checksum can still be downloaded. */
async function fetchSha256(jarUrl: string, options: Omit<FetchOptions, 'maxBytes'>): Promise<string | null> {
  try {
    return readSha256(await fetchText(`${jarUrl}.sha256`, { ...options, maxBytes: maxChecksumBytes }));
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
