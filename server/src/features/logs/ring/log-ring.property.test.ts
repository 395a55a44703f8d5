import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LogRing } from './log-ring.ts';
import { getLines, type ReceivedLine } from './ring-chunk.ts';

const limits = { lines: 40, bytes: () => 20_000, chunk: { lines: 7, chars: 120 } };

/** Operations on a ring: the platform sends or is interrupted, or a reader reads some pieces. */
const actArbitrary = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('append' as const), lines: fc.integer({ min: 0, max: 60 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('gap' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      reader: fc.nat(2),
      pieces: fc.integer({ min: 1, max: 9 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('resume' as const), reader: fc.nat(2), back: fc.nat(50) }) },
);

/** Sequence number → the text of the line, or 'mark'. */
type Truth = Map<number, string>;

test('any reader gets consecutive lines or an exactly counted gap, whatever is appended, trimmed and read in between', () => {
  fc.assert(
    fc.property(fc.array(actArbitrary, { maxLength: 80 }), (acts) => {
      const ring = new LogRing(limits);
      const truth: Truth = new Map();
      const readers = [1, 1, 1];
      let made = 0;
      for (const act of acts) {
        if (act.kind === 'append') {
          const records: ReceivedLine[] = Array.from({ length: act.lines }, () => {
            made += 1;
            return { id: `${made}`, key: 'INFO', value: `line ${made}`.padEnd(made % 50, 'ü"'), millis: made };
          });
          for (const [index, record] of records.entries()) truth.set(ring.nextSeq + index, record.value);
          ring.append(records);
        } else if (act.kind === 'gap') {
          truth.set(ring.nextSeq, 'mark');
          ring.appendGap({ reason: 'platform', lines: null, fromMillis: null, toMillis: null });
        } else if (act.kind === 'resume') {
          readers[act.reader] = Math.max(1, (readers[act.reader] ?? 1) - act.back);
        } else {
          let seq = readers[act.reader] ?? 1;
          for (let piece = 0; piece < act.pieces; piece += 1) seq = readOne(ring, seq, truth);
          readers[act.reader] = seq;
        }
        expect(ring.lines).toBeLessThanOrEqual(limits.lines);
        expect(ring.bytes).toBeLessThanOrEqual(limits.bytes());
        expect(ring.nextSeq).toBe(truth.size + 1);
      }
    }),
    { numRuns: 400 },
  );
});

/** Reads one piece, compares it with what was appended, and returns the next sequence number. */
function readOne(ring: LogRing, seq: number, truth: Truth): number {
  const piece = ring.read(seq, 'slow-viewer');
  if (piece === null) {
    expect(seq).toBe(ring.nextSeq);
    return seq;
  }
  const passed = Array.from({ length: piece.nextSeq - seq }, (_, index) => truth.get(seq + index));
  if ('chunk' in piece) {
    expect(piece.chunk.seq).toBe(seq);
    expect(getLines(piece.chunk).map(([, , value]) => value)).toEqual(passed);
  } else if (piece.gap.reason === 'platform') {
    expect(passed).toEqual(['mark']);
  } else {
    // Trimmed by the ring: all of them are really gone, none is a mark, and each is counted.
    expect(piece.gap.lines).toBe(passed.length);
    expect(passed).not.toContain('mark');
    expect(piece.nextSeq).toBeLessThanOrEqual(ring.firstSeq);
  }
  return piece.nextSeq;
}
