import { TextDecoder } from 'node:util';
import { unfoldLines } from './unfold-lines.ts';

/**
 * Decodes a feed by the charset of its Content-Type, UTF-8 if it has none. Lines may be folded
 * within a character, so they are joined first (RFC 5545, 3.1).
 */
export function decodeCalendar(bytes: Uint8Array, contentType: string | null): string {
  const decoder = createDecoder(bytes, contentType);
  if (decoder.encoding.startsWith('utf-16')) return decoder.decode(bytes);
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isFolded = body.includes('\n ') || body.includes('\n\t') || !body.includes('\n');
  // In Latin 1, each byte is one character.
  const text = decoder.decode(isFolded ? Buffer.from(unfoldLines(body.toString('latin1')), 'latin1') : body);
  return decoder.encoding === 'windows-1252' ? restoreWindowsCharacters(text) : text;
}

/** Characters 0x80 to 0x9f of Windows-1252. */
const windowsCharacters = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Node 20 decodes Windows-1252 as Latin 1, with control characters for quotes and dashes. */
function restoreWindowsCharacters(text: string): string {
  return text.replaceAll(/[\u0080-\u009f]/g, (control) => windowsCharacters[control.charCodeAt(0) - 0x80] ?? control);
}

function createDecoder(bytes: Uint8Array, contentType: string | null): TextDecoder {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be');
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le');
  const isMarkedUtf8 = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '') ?? [];
  try {
    return new TextDecoder(isMarkedUtf8 ? 'utf-8' : charset);
  } catch {
    // The charset is unknown.
    return new TextDecoder();
  }
}
