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
  return decoder.decode(isFolded ? Buffer.from(unfoldLines(body.toString('latin1')), 'latin1') : body);
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
