const maxLength = 100;

/**
 * Returns a value that a caller sent, for a message or a log line: at most 100 characters, without
 * control characters.
 */
export function shortenValue(value: string): string {
  const short = value.length > maxLength ? `${value.slice(0, maxLength - 1)}…` : value;
  return short.replace(/\p{Cc}|\p{Surrogate}/gu, '\uFFFD');
}
