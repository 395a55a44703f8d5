/** The minimum wait that Journey requires. */
const minMs = 1_000;
/** A longer wait is more likely a mistake; the next response may ask for another one. */
const maxMs = 5 * 60_000;

/**
 * Parses the Retry-After header, limited to between a second and five minutes; undefined when
 * it is missing. A date is compared with the sender's own clock, because the local one may differ.
 */
export function parseRetryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  const waitMs = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - getSenderNowMs(headers);
  return Number.isNaN(waitMs) ? undefined : Math.min(maxMs, Math.max(minMs, Math.ceil(waitMs)));
}

function getSenderNowMs(headers: Headers): number {
  const senderMs = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(senderMs) ? Date.now() : senderMs;
}
