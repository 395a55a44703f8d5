export interface DecodedCsv {
  readonly text: string;
  /** Whether the encoding was assumed, because the bytes are not UTF-8. */
  readonly isGuess: boolean;
}

/**
 * Decodes the bytes of a CSV file: UTF-8, UTF-16 with a byte order mark, or else Windows-1252, in
 * which spreadsheets save "CSV" on Windows.
 */
export function decodeCsv(bytes: Uint8Array): DecodedCsv {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return { text: new TextDecoder('utf-16le').decode(bytes), isGuess: false };
  if (first === 0xfe && second === 0xff) return { text: new TextDecoder('utf-16be').decode(bytes), isGuess: false };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), isGuess: false };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), isGuess: true };
  }
}
