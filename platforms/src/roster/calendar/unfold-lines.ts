/** Joins folded lines. In a text without line feeds, carriage returns end lines. */
export function unfoldLines(text: string): string {
  const lines = text.includes('\n') ? text : text.replaceAll('\r', '\n');
  return /\n[ \t]/.test(lines) ? lines.replace(/\r?\n[ \t]/g, '') : lines;
}

/** Yields the lines of an unfolded text without line breaks, skipping empty ones. */
export function* splitLines(text: string): Iterable<string> {
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  while (at < text.length) {
    const found = text.indexOf('\n', at);
    const next = found < 0 ? text.length : found;
    const end = text[next - 1] === '\r' ? next - 1 : next;
    if (end > at) yield text.slice(at, end);
    at = next + 1;
  }
}
