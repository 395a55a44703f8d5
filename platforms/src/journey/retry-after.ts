/** Journey wants at least this long a wait, whatever it says. */
const leastMs = 1_000;
const maxMs = 60 * 60_000;

/**
 * How long the sender of these headers wants to be left alone: between a second and an hour;
 * undefined when it does not say. A date is held against the sender's own clock, for ours may be
 * wrong by an hour.
 */
export function retryAfterMsOf(headers: Headers): number | undefined {
  const said = headers.get('retry-after')?.trim();
  if (!said) return undefined;
  const waitMs = /^\d+(\.\d+)?$/.test(said) ? Number(said) * 1000 : Date.parse(said) - nowOf(headers);
  return Number.isNaN(waitMs) ? undefined : Math.min(maxMs, Math.max(leastMs, Math.ceil(waitMs)));
}

function nowOf(headers: Headers): number {
  const theirs = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(theirs) ? Date.now() : theirs;
}
