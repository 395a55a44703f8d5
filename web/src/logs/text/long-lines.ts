import type { Line, Text } from '@codemirror/state';

/** Longer lines are cut until the user requests all of them. */
export const maxLineChars = 2_000;

/** Returns the part of a line that is shown at first. Does not cut a character in two. */
export function cutLine(line: string): string {
  if (line.length <= maxLineChars) return line;
  const isInsidePair = /[\ud800-\udbff]/.test(line.charAt(maxLineChars - 1));
  return line.slice(0, isInsidePair ? maxLineChars - 1 : maxLineChars);
}

/** Returns each line of the visible ranges once. A long line that is not cut has several ranges. */
export function* getVisibleLines(doc: Text, ranges: readonly { from: number; to: number }[]): Generator<Line> {
  let next = 0;
  for (const { from, to } of ranges) {
    while (Math.max(from, next) <= to) {
      const line = doc.lineAt(Math.max(from, next));
      yield line;
      next = line.to + 1;
    }
  }
}
