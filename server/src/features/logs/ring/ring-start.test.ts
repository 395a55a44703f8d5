import type { LogLine } from '@portal/contract/logs';
import { expect, test } from 'vitest';
import { getLines } from './log-chunk.ts';
import { LogRing } from './log-ring.ts';
import { type RingStart, resumeAfter, startNewViewer } from './ring-start.ts';

const limits = { lines: 1000, bytes: () => 1_000_000, chunk: { lines: 4, chars: 10_000 } };

/** A ring with one line per given time; the line's text is its place in the list. */
function ringOf(times: readonly number[], sinceMillis?: number, most = limits): LogRing {
  const ring = new LogRing(most);
  if (sinceMillis !== undefined) ring.markCompleteSince(sinceMillis);
  ring.append(times.map((millis, index) => ({ id: `${index}`, key: 'INFO', value: `${index}`, millis })));
  return ring;
}

/** Everything a viewer would be sent from a start on. */
function textsFrom(ring: LogRing, start: RingStart): string[] {
  const chunks = [...start.ahead];
  let seq = start.seq;
  for (let piece = ring.read(seq, 'ring'); piece !== null; piece = ring.read(seq, 'ring')) {
    if ('chunk' in piece) chunks.push(piece.chunk);
    seq = piece.nextSeq;
  }
  return chunks.flatMap(getLines).map(([, , value]) => value);
}

const line = (millis: number, value: string): LogLine => [millis, 'INFO', value];

test('a newcomer gets the last lines by count', () => {
  const ring = ringOf([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(textsFrom(ring, startNewViewer(ring, { lines: 3, millis: 1000 }))).toEqual(['6', '7', '8']);
});

test('a newcomer gets the last minutes, counted from the newest line', () => {
  const ring = ringOf([1000, 1001, 1002, 1003, 9000, 9001, 9002]);
  expect(textsFrom(ring, startNewViewer(ring, { lines: 100, millis: 500 }))).toEqual(['4', '5', '6']);
});

test('a newcomer to an empty ring starts at its first line', () => {
  expect(startNewViewer(ringOf([]), { lines: 3, millis: 1000 })).toMatchObject({ seq: 1, resumed: 'new' });
});

test('the same numbering resumes behind the number, in the middle of a chunk too', () => {
  const ring = ringOf([1, 2, 3, 4, 5, 6]);
  const start = resumeAfter(ring, { stream: ring.stream, seq: 2, millis: 2 });
  expect(start.resumed).toBe('nothing-lost');
  expect(textsFrom(ring, start)).toEqual(['2', '3', '4', '5']);
});

test('the same numbering resumes at the end', () => {
  const ring = ringOf([1, 2]);
  expect(resumeAfter(ring, { stream: ring.stream, seq: 2, millis: 2 })).toMatchObject({
    seq: 3,
    resumed: 'nothing-lost',
  });
});

test('a number the ring has moved past resumes with a gap', () => {
  const ring = ringOf([1, 2, 3, 4, 5, 6, 7, 8, 9], undefined, { ...limits, lines: 4 });
  const start = resumeAfter(ring, { stream: ring.stream, seq: 2, millis: 2 });
  expect(start).toMatchObject({ seq: 3, resumed: 'gap' });
  expect(ring.read(3, 'ring')).toMatchObject({ gap: { reason: 'ring', lines: ring.firstSeq - 3 } });
});

test('a number that never was is not believed', () => {
  const ring = ringOf([1, 2]);
  expect(resumeAfter(ring, { stream: ring.stream, seq: 7, millis: 0 }).gap).toMatchObject({ reason: 'restart' });
});

test('another numbering goes on by time, without what the viewer tells of', () => {
  const ring = ringOf([10, 11, 12, 12, 13, 12, 14, 15], 5);
  const tail = [line(11, '1'), line(12, '3'), line(12, '5')];
  const start = resumeAfter(ring, { stream: 'another', seq: 77, millis: 12, tail });
  expect(start.resumed).toBe('nothing-lost');
  expect(textsFrom(ring, start)).toEqual(['2', '4', '6', '7']);
  expect(start.ahead[0]?.seq).toBe(start.seq - getLines(start.ahead[0] ?? expect.fail()).length);
});

test('lines that look alike are taken out as often as told', () => {
  const ring = new LogRing(limits);
  ring.markCompleteSince(0);
  ring.append([1, 2, 3].map((id) => ({ id: `${id}`, key: 'INFO', value: 'same', millis: 50 })));
  const tail = [line(50, 'same'), line(50, 'same')];
  expect(textsFrom(ring, resumeAfter(ring, { stream: 'another', seq: 2, millis: 50, tail }))).toEqual(['same']);
});

test('without told lines, what bears exactly the told time is taken as had', () => {
  const ring = ringOf([10, 11, 11, 12], 5);
  expect(textsFrom(ring, resumeAfter(ring, { stream: 'another', seq: 9, millis: 11 }))).toEqual(['3']);
});

test('a time the ring does not reach back to is a gap that cannot be counted', () => {
  const ring = ringOf([10, 11], 10);
  const start = resumeAfter(ring, { stream: 'another', seq: 9, millis: 4 });
  expect(start.gap).toEqual({ reason: 'restart', lines: null, fromMillis: 4, toMillis: 10 });
  expect(textsFrom(ring, start)).toEqual(['0', '1']);
});

test('what was trimmed is not held, whatever is said of the beginning later', () => {
  const ring = ringOf([1, 2, 3, 4, 5, 6, 7, 8, 9], undefined, { ...limits, lines: 4 });
  ring.markCompleteSince(0);
  expect(resumeAfter(ring, { stream: 'another', seq: 9, millis: 3 }).gap).toMatchObject({ reason: 'restart' });
});
