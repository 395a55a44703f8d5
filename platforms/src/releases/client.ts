/**
 * The client through which the portal asks a Maven repository for the newest release of a program.
 */
import { Problem, Unreachable } from '@portal/kit/problems';
import { fetchText } from './fetch-text.ts';
import { readLatestRelease, readSha256 } from './wire.ts';

interface ReleasesOptions {
  /** Address of the program's `maven-metadata.xml`. */
  readonly metadataUrl: string;
  /** Addresses of its two jars, `{version}` in them standing for the version. */
  readonly clientUrl: string;
  readonly noUiClientUrl: string;
  /** For each answer; 5 s when left out. */
  readonly timeoutMs?: number;
}

export interface Release {
  /** Letters, digits and `. _ + -` only. */
  readonly version: string;
  /** Of the jars, 64 hexadecimal digits; null where the repository does not tell it. */
  readonly clientSha256: string | null;
  readonly noUiClientSha256: string | null;
}

const maxMetadataBytes = 1024 * 1024;
const maxChecksumBytes = 1024;

/**
 * Throws Unreachable when the repository does not answer, says something else than versions, or has
 * only snapshots.
 */
export async function fetchLatestRelease(options: ReleasesOptions): Promise<Release> {
  const { metadataUrl, clientUrl, noUiClientUrl, timeoutMs = 5_000 } = options;
  const xml = await fetchText(metadataUrl, { timeoutMs, maxBytes: maxMetadataBytes });
  const version = parseLatestRelease(xml, metadataUrl);
  const [clientSha256, noUiClientSha256] = await Promise.all(
    [clientUrl, noUiClientUrl].map((url) => fetchSha256(withVersion(url, version), timeoutMs)),
  );
  return { version, clientSha256: clientSha256 ?? null, noUiClientSha256: noUiClientSha256 ?? null };
}

/** Puts the version where `{version}` stands in an address or a command. */
export function withVersion(template: string, version: string): string {
  return template.replaceAll('{version}', () => version);
}

function parseLatestRelease(xml: string, metadataUrl: string): string {
  const { host, pathname } = new URL(metadataUrl);
  let version: string | null;
  try {
    version = readLatestRelease(xml);
  } catch (error) {
    const reason = `The release repository ${host} answered ${pathname} with something that is not Maven metadata.`;
    throw new Unreachable(reason, { cause: error });
  }
  if (version === null) throw new Unreachable(`The release repository ${host} lists no release at ${pathname}.`);
  return version;
}

/** A release without its checksum is still one that people can download. */
async function fetchSha256(jarUrl: string, timeoutMs: number): Promise<string | null> {
  try {
    return readSha256(await fetchText(`${jarUrl}.sha256`, { timeoutMs, maxBytes: maxChecksumBytes }));
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
