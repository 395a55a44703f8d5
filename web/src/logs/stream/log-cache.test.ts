import { expect, it } from 'vitest';
import { LogBuffer } from './log-buffer.ts';
import { LogCache, type SavedLog } from './log-cache.ts';
import { closedConnection } from './log-connection.ts';

function createLog(rows: number): SavedLog {
  const buffer = new LogBuffer();
  for (let row = 0; row < rows; row += 1) buffer.append([{ millis: row, key: 'INFO', value: 'x'.repeat(81) }]);
  return { buffer, connection: closedConnection, lostLines: 0, unknownGaps: 0 };
}

it('returns a log once, where it was left', () => {
  const cache = new LogCache();
  const log = createLog(3);
  cache.put('app a', log);
  expect(cache.take('app b')).toBeNull();
  expect(cache.take('app a')).toBe(log);
  expect(cache.take('app a')).toBeNull();
});

it('evicts the log that was left first when there are too many', () => {
  const cache = new LogCache({ logs: 2, bytes: 1_000_000 });
  for (const key of ['a', 'b', 'a', 'c']) cache.put(key, createLog(1));
  expect(['a', 'b', 'c'].filter((key) => cache.take(key) !== null)).toEqual(['a', 'c']);
});

it('evicts other logs, and then the oldest lines, when there are too many bytes', () => {
  // A row of this test takes 100 bytes.
  const cache = new LogCache({ logs: 5, bytes: 50_000 });
  cache.put('small', createLog(300));
  cache.put('large', createLog(2_000));
  expect(cache.take('small')).toBeNull();
  const buffer = cache.take('large')?.buffer;
  expect(buffer?.bytes).toBeLessThanOrEqual(50_000);
  expect(buffer?.oldest).toBeGreaterThan(0);
  expect(buffer?.next).toBe(2_000);
});
