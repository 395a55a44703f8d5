/**
 * Downloads the files of photos, signatures, and attachments. Journey provides an address that
 * redirects to the bytes, which may be stored on another host.
 */
import { getHostName, type JourneyAddress } from './call.ts';
import { createAddressProblem, createFileProblem, downloadFile, type FileResponse, getText } from './download-file.ts';
import { type FileType, findContentProblem, findImageType, hasEndMark, isUnknownType } from './file-content.ts';
import type { FileHosts } from './file-hosts.ts';
import { findFileName } from './file-name.ts';

export interface JourneyFile {
  readonly bytes: Buffer;
  /** Its media type, such as `image/jpeg`. */
  readonly mediaType: string;
  /** Undefined when Journey does not state a name. */
  readonly fileName: string | undefined;
}

const maxRedirects = 5;

interface Source {
  readonly address: JourneyAddress;
  readonly hosts: FileHosts;
  readonly signal?: AbortSignal | undefined;
}

/** A response with what it was made of. */
interface Download extends JourneyFile {
  /** The host that sent it, for messages. */
  readonly name: string;
  readonly isComplete: boolean;
}

/**
 * Downloads a file of a field and accepts only a complete one that the field can hold. Follows
 * redirects to Journey and to hosts that the configuration lists; only Journey receives
 * credentials. Throws a `JourneyProblem` that concerns only this file.
 */
export async function fetchAttachment(source: Source, url: string, type: FileType): Promise<JourneyFile> {
  let file = await download(source, url, type);
  if (!file.isComplete) {
    const { bytes } = file;
    file = await download(source, url, type);
    if (!file.isComplete && !file.bytes.equals(bytes))
      throw createFileProblem(
        `${file.name} does not state the file's length, and sent different bytes the second time.`,
      );
  }
  const { bytes, mediaType, fileName } = file;
  return { bytes, mediaType, fileName };
}

async function download(source: Source, url: string, type: FileType): Promise<Download> {
  const { url: finalUrl, name, response } = await followRedirects(source, url);
  const { headers, bytes } = response;
  const stated = (getText(headers['content-type']) ?? '').split(';', 1).join('').trim().toLowerCase();
  const problem = findContentProblem(type, { bytes, mediaType: stated });
  if (problem !== undefined) throw createFileProblem(`${name} sent ${problem}.`);
  const mediaType = isUnknownType(stated) ? (findImageType(bytes) ?? 'application/octet-stream') : stated;
  const fileName = findFileName(getText(headers['content-disposition']), finalUrl);
  return { bytes, mediaType, fileName, name, isComplete: !response.endsWithConnection || hasEndMark(bytes) };
}

async function followRedirects({ address, hosts, signal }: Source, firstUrl: string) {
  const journey = getHostName(address);
  const { origin, protocol } = new URL(address.baseUrl);
  const limits = { maxSilenceMs: address.timeoutMs, maxBytes: address.maxResponseBytes, signal };
  let url = resolveUrl(firstUrl, address.baseUrl);
  if (url === undefined) throw createAddressProblem(`${journey} does not state a valid address for this file.`);
  // A host that Journey redirects to must not choose calls that are made with Journey's
  // credentials.
  let isTrusted = true;
  let isEncrypted = protocol === 'https:';
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const isJourney = url.origin === origin;
    isTrusted &&= isJourney;
    if (isEncrypted && url.protocol === 'http:')
      throw createAddressProblem(`${journey} leads to this file at ${url.host} without encryption (http).`);
    isEncrypted = url.protocol === 'https:';
    const problem = isJourney ? undefined : hosts.findProblem(url);
    if (problem !== undefined) throw createAddressProblem(`The file cannot be downloaded: ${problem}.`);
    const name = isJourney ? journey : url.host;
    const response: FileResponse = await downloadFile({
      url,
      name,
      ...(isTrusted && { authorization: address.authorization }),
      request: isJourney ? address.request : hosts.request,
      ...limits,
    });
    if (!('location' in response)) return { url: url.href, name, response };
    const next = resolveUrl(response.location ?? '', url.href);
    if (next === undefined) throw createFileProblem(`${name} sent a redirect without a valid address for this file.`);
    url = next;
  }
  throw createFileProblem(`${journey} needs more than ${maxRedirects} redirects to this file.`);
}

/** Returns an absolute address without user name, password and fragment; undefined when invalid. */
function resolveUrl(url: string, base: string): URL | undefined {
  if (url === '' || !URL.canParse(url, base)) return undefined;
  const { origin, pathname, search } = new URL(url, base);
  // Other protocols have no origin; they are refused by their address.
  return origin === 'null' ? new URL(url, base) : new URL(`${origin}${pathname}${search}`);
}
