/**
 * Parses JSON without rounding integers. Journey writes the op-log's sequence as a number up to
 * 2^63, and `JSON.parse` rounds silently above 2^53. Node 20 does not expose a number's source
 * text, so integers that would be rounded become strings before parsing. Everything else equals
 * `JSON.parse`.
 */

/** At least 16 digits where a number can start. This is rare, so most texts need one check only. */
const longNumber = /(?:^|[[:,\s-])\d{16}/;

/**
 * Matches the boundaries of strings and long numbers. No token grows with a string, because the
 * regex stack is limited.
 */
const tokenPattern = /\\.|"|-?\d[\d.eE+-]{15,}/g;

/** Throws `SyntaxError` when the text is not JSON. */
export function parseExactly(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (!longNumber.test(text)) return parsed;
  let isInsideString = false;
  const exact = text.replace(tokenPattern, (token) => {
    if (token === '"') isInsideString = !isInsideString;
    return !isInsideString && isRounded(token) ? `"${token}"` : token;
  });
  return JSON.parse(exact);
}

function isRounded(token: string): boolean {
  return /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
}
