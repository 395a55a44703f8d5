/**
 * The client with which the portal reads the latest release of a program from a Maven repository.
 */
import { Problem, Unreachable } from '@portal/kit/problems';
import { type FetchOptions, fetchHead, fetchText, type Head, type RepositoryOptions } from './fetch-text.ts';
import { type ChecksumKind, listReleases, readChecksum } from './wire.ts';

interface ReleasesOptions {
  /** The address of the program's `maven-metadata.xml`, without credentials. */
  readonly metadataUrl: string;
  /** Sent to the host of `metadataUrl` only. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The addresses of its two jars; `{version}` is replaced with the version. */
  readonly clientUrl: string;
  readonly noUiClientUrl: string;
  /** Hosts besides the repository's own that downloads may be redirected to. Default: none. */
  readonly storageHosts?: readonly string[];
  /** Whether versions before a release count, such as `2.0-rc1`. Default: no. */
  readonly preReleases?: boolean;
  /** The limit per response. Default: 5 s. */
  readonly timeoutMs?: number;
}

export interface Release {
  /** Letters, digits, and `. _ + -` only. */
  readonly version: string;
  /** The checksums of the jars, 64 hexadecimal digits; null when the repository has none. */
  readonly clientSha256: string | null;
  readonly noUiClientSha256: string | null;
  /** The same with 40 digits, for a jar without the former. */
  readonly clientSha1: string | null;
  readonly noUiClientSha1: string | null;
}

const maxMetadataBytes = 1024 * 1024;
const maxChecksumBytes = 1024;

/** If this many of the newest versions have no jars, the repository is not just cleaned up. */
const maxVersions = 5;

/**
 * Returns the newest release whose jars are there. Throws Unreachable when the repository does not
 * respond, does not return versions, has only snapshots, or has no jars of its newest versions.
 */
export async function fetchLatestRelease(options: ReleasesOptions): Promise<Release> {
  const { metadataUrl, clientUrl, noUiClientUrl, headers = {}, storageHosts = [], timeoutMs = 5_000 } = options;
  const xml = await fetchText(metadataUrl, { headers, timeoutMs, storageHosts, maxBytes: maxMetadataBytes });
  const versions = parseReleases(xml, options).slice(0, maxVersions);
  const { origin, host } = new URL(metadataUrl);
  for (const version of versions) {
    const [client, noUiClient] = await Promise.all(
      [clientUrl, noUiClientUrl].map((template) => {
        const url = withVersion(template, version);
        return findJar(url, { timeoutMs, storageHosts, headers: new URL(url).origin === origin ? headers : {} });
      }),
    );
    if (!client || !noUiClient) continue;
    return {
      version,
      clientSha256: client.sha256,
      noUiClientSha256: noUiClient.sha256,
      clientSha1: client.sha1,
      noUiClientSha1: noUiClient.sha1,
    };
  }
  throw new Unreachable(
    `The release repository ${host} lists ${versions.join(', ')}, and does not have both jars of any.`,
  );
}

/** Replaces `{version}` in an address or a command. */
export function withVersion(template: string, version: string): string {
  return template.replaceAll('{version}', () => version);
}

function parseReleases(xml: string, { metadataUrl, preReleases = false }: ReleasesOptions): readonly string[] {
  const { host, pathname } = new URL(metadataUrl);
  let versions: readonly string[];
  try {
    versions = listReleases(xml, { preReleases });
  } catch (error) {
    const reason = `The release repository ${host} returned something other than Maven metadata for ${pathname}.`;
    throw new Unreachable(reason, { cause: error });
  }
  if (versions.length === 0) throw new Unreachable(`The release repository ${host} lists no release at ${pathname}.`);
  return versions;
}

interface Jar {
  readonly sha256: string | null;
  readonly sha1: string | null;
}

/** Returns the checksums of a jar; null when the repository does not have the jar. */
async function findJar(url: string, options: RepositoryOptions): Promise<Jar | null> {
  const head = await orNull(fetchHead(url, options));
  if (head?.status === 404 || head?.status === 410) return null;
  const sha256 = await fetchChecksum(url, 'sha256', { ...options, head });
  return { sha256, sha1: sha256 === null ? await fetchChecksum(url, 'sha1', { ...options, head }) : null };
}

/** Reads the checksum's file, or else what the repository says of it beside the jar. */
async function fetchChecksum(
  jarUrl: string,
  kind: ChecksumKind,
  { head, ...options }: Omit<FetchOptions, 'maxBytes'> & { readonly head: Head | null },
): Promise<string | null> {
  const file = await orNull(fetchText(`${jarUrl}.${kind}`, { ...options, maxBytes: maxChecksumBytes }));
  const stated = head?.headers.map((headers) => headers.get(`x-checksum-${kind}`)).find((value) => value !== null);
  return readChecksum(kind, file ?? '') ?? readChecksum(kind, stated ?? '');
}

/** Returns null on errors: a release without its checksum can still be downloaded. */
async function orNull<Result>(result: Promise<Result>): Promise<Result | null> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
