/**
 * Describes a response that is not Journey's, such as the page of a firewall, so that operators can
 * find who sent it.
 */
const maxWords = 120;
/** Longer pages are not searched for their first words. */
const maxBytes = 4_096;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/**
 * Returns the status, the media type and the first words as plain text:
 * `status 403, text/html: "Blocked"`.
 *
 * @param secrets of the call: an answer that repeats one of them is described without its words
 */
export function describeAnswer({ status, headers, bytes }: Answer, secrets: readonly string[]): string {
  const type = /^[\w.+-]{1,60}\/[\w.+-]{1,60}/.exec(headers.get('content-type') ?? '')?.[0];
  const what = type === undefined ? `status ${status}` : `status ${status}, ${type}`;
  const text = Buffer.from(bytes.subarray(0, maxBytes)).toString('utf8');
  const words = secrets.some((secret) => text.includes(secret)) ? '' : toWords(text);
  return words === '' ? what : `${what}: "${words}"`;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' };

/** Returns the beginning of a text that may be a web page, in one line without markup. */
function toWords(text: string): string {
  const words = text
    .replace(/<!--.*?(-->|$)|<(script|style)\b.*?(<\/\2[^<>]*>|$)/gis, ' ')
    .replace(/<[^<>]*(>|$)/g, ' ')
    .replace(/&(amp|lt|gt|quot|nbsp);/g, (_entity, name: string) => entities[name] ?? '')
    .replace(/[\p{C}\s\ufffd]+/gu, ' ')
    .trim();
  return words.length <= maxWords ? words : `${words.slice(0, maxWords).trim()}…`;
}
