/**
 * Files of photos, signatures and attachments: Journey gives an address, and answers it with a
 * redirect to the bytes.
 */
import { callJourney, type JourneyAddress, type JourneyAnswer, type JourneyCall, nameOf } from './call.ts';
import { unexpectedAnswer } from './call-for-json.ts';
import { JourneyProblem } from './journey-problem.ts';
import { journeyErrors } from './wire.ts';

export interface JourneyFile {
  readonly bytes: Uint8Array;
  /** Its media type, such as `image/jpeg`. */
  readonly mediaType: string;
}

/**
 * Neither the address nor the redirect, one at most, leads to another host: the credentials go with
 * both.
 */
export async function fetchAttachment(
  address: JourneyAddress,
  url: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<JourneyFile> {
  const place = sameHost(address, url, address.baseUrl);
  if (place === undefined) {
    throw new JourneyProblem(`This attachment is not kept by ${nameOf(address)}.`, {
      kind: 'invalid-request',
      type: journeyErrors.invalidRequest,
    });
  }
  const call: JourneyCall = { method: 'GET', path: place, isForFile: true, signal };
  const answer = await callJourney(address, call);
  if (!isRedirect(answer)) return fileIn(answer);

  const target = sameHost(address, answer.headers.get('location') ?? '', place);
  if (target === undefined) throw unexpectedAnswer(address, call, 'a redirect to another host');
  const file = await callJourney(address, { ...call, path: target });
  if (isRedirect(file)) throw unexpectedAnswer(address, call, 'a second redirect');
  return fileIn(file);
}

/** The whole address; undefined when it is none, or another host's, port's or protocol's. */
function sameHost(address: JourneyAddress, url: string, from: string): string | undefined {
  if (url === '' || !URL.canParse(url, from)) return undefined;
  const { origin, pathname, search } = new URL(url, from);
  return origin === new URL(address.baseUrl).origin ? origin + pathname + search : undefined;
}

function isRedirect({ status }: JourneyAnswer): boolean {
  return status >= 300 && status <= 399;
}

function fileIn({ bytes, headers }: JourneyAnswer): JourneyFile {
  const [mediaType = ''] = (headers.get('content-type') ?? '').split(';');
  return { bytes, mediaType: mediaType.trim().toLowerCase() || 'application/octet-stream' };
}
