import type { LogLine } from '@portal/contract/logs';
import { expect, test } from 'vitest';
import { LogRing } from './log-ring.ts';
import { getLines } from './ring-chunk.ts';
import { type RingStart, resumeAfter, startNewViewer } from './ring-start.ts';

const limits = { lines: 1000, bytes: () => 1_000_000, chunk: { lines: 4, chars: 10_000 } };

/** Creates a ring with one line per timestamp; each line's text is its index. */
function createRing(times: readonly number[], sinceMillis?: number, ringLimits = limits): LogRing {
  const ring = new LogRing(ringLimits);
  if (sinceMillis !== undefined) ring.markCompleteSince(sinceMillis);
  ring.append(times.map((millis, index) => ({ id: `${index}`, key: 'INFO', value: `${index}`, millis })));
  return ring;
}

/** Returns everything that a viewer would receive from a start. */
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

test('a new viewer gets the last lines by count', () => {
  const ring = createRing([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(textsFrom(ring, startNewViewer(ring, { lines: 3, millis: 1000 }))).toEqual(['6', '7', '8']);
});

test('a new viewer gets the last minutes before the newest line', () => {
  const ring = createRing([1000, 1001, 1002, 1003, 9000, 9001, 9002]);
  expect(textsFrom(ring, startNewViewer(ring, { lines: 100, millis: 500 }))).toEqual(['4', '5', '6']);
});

test('a new viewer of an empty ring starts at its first line', () => {
  expect(startNewViewer(createRing([]), { lines: 3, millis: 1000 })).toMatchObject({ seq: 1, resumed: 'new' });
});

test('a viewer resumes after its sequence number, even in the middle of a chunk', () => {
  const ring = createRing([1, 2, 3, 4, 5, 6]);
  const start = resumeAfter(ring, { stream: ring.stream, seq: 2, millis: 2 });
  expect(start.resumed).toBe('nothing-lost');
  expect(textsFrom(ring, start)).toEqual(['2', '3', '4', '5']);
});

test('a viewer resumes at the end', () => {
  const ring = createRing([1, 2]);
  expect(resumeAfter(ring, { stream: ring.stream, seq: 2, millis: 2 })).toMatchObject({
    seq: 3,
    resumed: 'nothing-lost',
  });
});

test('a viewer that the ring has moved past resumes with a gap', () => {
  const ring = createRing([1, 2, 3, 4, 5, 6, 7, 8, 9], undefined, { ...limits, lines: 4 });
  const start = resumeAfter(ring, { stream: ring.stream, seq: 2, millis: 2 });
  expect(start).toMatchObject({ seq: 3, resumed: 'gap' });
  expect(ring.read(3, 'ring')).toMatchObject({ gap: { reason: 'ring', lines: ring.firstSeq - 3 } });
});

test('a sequence number that never existed is ignored', () => {
  const ring = createRing([1, 2]);
  expect(resumeAfter(ring, { stream: ring.stream, seq: 7, millis: 0 }).gap).toMatchObject({ reason: 'restart' });
});

test('a viewer of another numbering resumes by time, without the lines it reports', () => {
  const ring = createRing([10, 11, 12, 12, 13, 12, 14, 15], 5);
  const tail = [line(11, '1'), line(12, '3'), line(12, '5')];
  const start = resumeAfter(ring, { stream: 'another', seq: 77, millis: 12, tail });
  expect(start.resumed).toBe('nothing-lost');
  expect(textsFrom(ring, start)).toEqual(['2', '4', '6', '7']);
  expect(start.ahead[0]?.seq).toBe(start.seq - getLines(start.ahead[0] ?? expect.fail()).length);
});

test('identical lines are omitted as often as they are reported', () => {
  const ring = new LogRing(limits);
  ring.markCompleteSince(0);
  ring.append([1, 2, 3].map((id) => ({ id: `${id}`, key: 'INFO', value: 'same', millis: 50 })));
  const tail = [line(50, 'same'), line(50, 'same')];
  expect(textsFrom(ring, resumeAfter(ring, { stream: 'another', seq: 2, millis: 50, tail }))).toEqual(['same']);
});

test('lines with exactly the reported timestamp count as received if no lines were reported', () => {
  const ring = createRing([10, 11, 11, 12], 5);
  expect(textsFrom(ring, resumeAfter(ring, { stream: 'another', seq: 9, millis: 11 }))).toEqual(['3']);
});

test("a time before the ring's start results in an uncounted gap", () => {
  const ring = createRing([10, 11], 10);
  const start = resumeAfter(ring, { stream: 'another', seq: 9, millis: 4 });
  expect(start.gap).toEqual({ reason: 'restart', lines: null, fromMillis: 4, toMillis: 10 });
  expect(textsFrom(ring, start)).toEqual(['0', '1']);
});

test('trimmed lines do not count as stored, whatever start is recorded later', () => {
  const ring = createRing([1, 2, 3, 4, 5, 6, 7, 8, 9], undefined, { ...limits, lines: 4 });
  ring.markCompleteSince(0);
  expect(resumeAfter(ring, { stream: 'another', seq: 9, millis: 3 }).gap).toMatchObject({ reason: 'restart' });
});
