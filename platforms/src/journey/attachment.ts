/**
 * Downloads the files of photos, signatures, and attachments. Journey provides an address that
 * redirects to the bytes.
 */
import { callJourney, getHostName, type JourneyAddress, type JourneyCall, type JourneyResponse } from './call.ts';
import { createUnexpectedResponse } from './call-for-json.ts';
import { JourneyProblem } from './journey-problem.ts';
import { journeyErrors } from './wire.ts';

export interface JourneyFile {
  readonly bytes: Uint8Array;
  /** Its media type, such as `image/jpeg`. */
  readonly mediaType: string;
}

/**
 * Downloads a file, following at most one redirect. Neither the address nor the redirect may lead
 * to another host, because the credentials are sent to both.
 */
export async function fetchAttachment(
  address: JourneyAddress,
  url: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<JourneyFile> {
  const origin = sameHost(address, url, address.baseUrl);
  if (origin === undefined) {
    throw new JourneyProblem(`${getHostName(address)} does not store this attachment.`, {
      kind: 'invalid-request',
      type: journeyErrors.invalidRequest,
    });
  }
  const call: JourneyCall = { method: 'GET', path: origin, isForFile: true, signal };
  const response = await callJourney(address, call);
  if (!isRedirect(response)) return toFile(response);

  const target = sameHost(address, response.headers.get('location') ?? '', origin);
  if (target === undefined) throw createUnexpectedResponse(address, call, 'a redirect to another host');
  const file = await callJourney(address, { ...call, path: target });
  if (isRedirect(file)) throw createUnexpectedResponse(address, call, 'a second redirect');
  return toFile(file);
}

/**
 * Returns the absolute address; undefined when it is invalid or its host, port, or protocol
 * differs.
 */
function sameHost(address: JourneyAddress, url: string, from: string): string | undefined {
  if (url === '' || !URL.canParse(url, from)) return undefined;
  const { origin, pathname, search } = new URL(url, from);
  return origin === new URL(address.baseUrl).origin ? origin + pathname + search : undefined;
}

function isRedirect({ status }: JourneyResponse): boolean {
  return status >= 300 && status <= 399;
}

function toFile({ bytes, headers }: JourneyResponse): JourneyFile {
  const [mediaType = ''] = (headers.get('content-type') ?? '').split(';');
  return { bytes, mediaType: mediaType.trim().toLowerCase() || 'application/octet-stream' };
}
