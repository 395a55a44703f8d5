import { describe, expect, it } from 'vitest';
import { buildChunk, type LogRow } from './log-chunk.ts';
import { formatRows } from './log-download.ts';

const rows: readonly LogRow[] = [
  { millis: Date.UTC(2026, 10, 23, 19, 34, 28), key: 'INFO', value: 'hello' },
  { millis: Date.UTC(2026, 10, 23, 19, 34, 56), marker: 'note', value: 'Recovered 1 line:' },
  { millis: Date.UTC(2026, 10, 23, 19, 34, 29), key: 'INFO', value: 'earlier' },
];

describe('formatRows', () => {
  it('writes no time before a marker, which is added later than the lines after it', () => {
    const chunk = buildChunk(0, rows, null);
    const lines = formatRows(chunk, 0, rows.length, 'text', 'utc').trimEnd().split('\n');
    expect(lines[0]).toMatch(/^2026-11-23.19:34:28\S* INFO +hello$/);
    expect(lines[1]).toMatch(/^-- +Recovered 1 line:$/);
    expect(lines[2]).toMatch(/^2026-11-23.19:34:29\S* INFO +earlier$/);
  });
});
