import { type LogLine, logTailChars, logTailLines } from '@portal/contract/logs';

/** What a viewer tells of its last lines when it resumes. */
export function tailOf(lines: readonly LogLine[]): LogLine[] {
  return lines.slice(-logTailLines).map(cutShort);
}

/**
 * The lines without those of the tail that come again, and what of the tail may still come. Lines
 * later than what was shown (`shownMillis`) end the matter. Two equal lines may both be real, so
 * each shown one excuses one.
 */
export function withoutRepetitions(lines: readonly LogLine[], mayRepeat: readonly LogLine[], shownMillis: number) {
  if (mayRepeat.length === 0) return { lines, mayRepeat };
  const left = [...mayRepeat];
  const fresh = lines.filter((line) => {
    const sign = JSON.stringify(cutShort(line));
    const at = left.findIndex((shown) => JSON.stringify(shown) === sign);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return { lines: fresh, mayRepeat: lines.some(([millis]) => millis > shownMillis) ? [] : left };
}

function cutShort([millis, key, value]: LogLine): LogLine {
  return [millis, key, value.slice(0, logTailChars)];
}
