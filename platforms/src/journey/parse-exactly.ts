/**
 * Journey writes the op-log's sequence as a number up to 2^63, which `JSON.parse` rounds silently
 * from 2^53 on, and Node 20 cannot show its source. So whole numbers that would be rounded become
 * text before they are parsed, wherever they stand; everything else is as `JSON.parse` has it.
 */

/** At least 16 digits where a number may begin: rarely so, and all others need only one look. */
const longNumber = /(?:^|[[:,\s-])\d{16}/;

/**
 * What tells where texts begin and end, and numbers long enough; no token grows with a text, for
 * the matcher's stack is short.
 */
const tokenPattern = /\\.|"|-?\d[\d.eE+-]{15,}/g;

/** Throws `SyntaxError` for what is not JSON. */
export function parseExactly(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (!longNumber.test(text)) return parsed;
  let isInText = false;
  const exact = text.replace(tokenPattern, (token) => {
    if (token === '"') isInText = !isInText;
    return !isInText && isRounded(token) ? `"${token}"` : token;
  });
  return JSON.parse(exact);
}

function isRounded(token: string): boolean {
  return /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
}
