/** Reads a TEXT value (RFC 5545, 3.3.11) as one line for display. */
export function readText(value: string): string {
  if (!value.includes('\\')) return toDisplayText(value);
  return toDisplayText(value.replace(/\\([\\;,nN])/g, (_, sign: string) => (/n/i.test(sign) ? '\n' : sign)));
}

/** Removes control characters and repeated blanks. */
export function toDisplayText(text: string): string {
  if (/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(text)) return text;
  return text
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim();
}
