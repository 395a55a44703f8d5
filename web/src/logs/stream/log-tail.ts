import { type LogLine, logTailChars, logTailLines } from '@portal/contract/logs';

/** Returns the last lines that a viewer reports when it resumes. */
export function toTail(lines: readonly LogLine[]): LogLine[] {
  return lines.slice(-logTailLines).map(truncateLine);
}

/**
 * Removes lines that repeat the tail, and returns the tail lines that may still repeat. A line
 * later than the last shown one (`shownMillis`) ends the repetition. Equal lines may both be real,
 * so each shown line removes only one.
 */
export function removeRepeats(lines: readonly LogLine[], possibleRepeats: readonly LogLine[], shownMillis: number) {
  if (possibleRepeats.length === 0) return { lines, possibleRepeats };
  const remaining = [...possibleRepeats];
  const newLines = lines.filter((line) => {
    const signature = JSON.stringify(truncateLine(line));
    const at = remaining.findIndex((shown) => JSON.stringify(shown) === signature);
    if (at >= 0) remaining.splice(at, 1);
    return at < 0;
  });
  return { lines: newLines, possibleRepeats: lines.some(([millis]) => millis > shownMillis) ? [] : remaining };
}

function truncateLine([millis, key, value]: LogLine): LogLine {
  return [millis, key, value.slice(0, logTailChars)];
}
