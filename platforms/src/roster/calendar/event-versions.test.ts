// cspell:ignore cancelled
import { describe, expect, it } from 'vitest';
import { calendar, event, readFeed } from './feed-text.fixture.ts';

const turn = (name: string, ...lines: string[]) =>
  event('UID:1', `SUMMARY:${name}`, 'DTSTART:20260105T080000Z', 'DURATION:PT8H', ...lines);
const swap = (name: string, ...lines: string[]) => turn(name, 'RECURRENCE-ID:20260105T080000Z', ...lines);

describe('newest version of an event', () => {
  it.each([
    ['SEQUENCE', ['SEQUENCE:2', 'DTSTAMP:20260101T000000Z'], ['SEQUENCE:10', 'DTSTAMP:20250101T000000Z']],
    ['SEQUENCE, of which one has none', [], ['SEQUENCE:1']],
    ['LAST-MODIFIED', ['LAST-MODIFIED:20260101T000000Z'], ['LAST-MODIFIED:20260101T000001Z']],
    ['DTSTAMP', ['DTSTAMP:20260101T000000Z'], ['DTSTAMP:20260102T000000Z']],
  ])('is known by %s, in any order', (_, older, newer) => {
    for (const write of [turn, swap]) {
      const [one, other] = [write('Old', ...older), write('New', ...newer)];
      expect(readFeed(calendar(one, other)).turns).toEqual(['New 2026-01-05T08:00']);
      expect(readFeed(calendar(other, one)).turns).toEqual(['New 2026-01-05T08:00']);
    }
  });

  it('is the last one of equal ones', () => {
    expect(readFeed(calendar(turn('A'), turn('B'))).turns).toEqual(['B 2026-01-05T08:00']);
    expect(readFeed(calendar(swap('A'), swap('B'))).turns).toEqual(['B 2026-01-05T08:00']);
  });

  it('may be a cancellation', () => {
    for (const write of [turn, swap]) {
      const [old, canceled] = [write('Old', 'SEQUENCE:1'), write('Old', 'SEQUENCE:2', 'STATUS:cancelled')];
      expect(readFeed(calendar(old, canceled)).turns).toEqual([]);
      expect(readFeed(calendar(canceled, old)).turns).toEqual([]);
    }
  });

  it('is a cancellation in a calendar with METHOD:CANCEL, with a warning if nothing else is left', () => {
    const canceling = calendar('METHOD:cancel', turn('A', 'SEQUENCE:2'));
    expect(readFeed(canceling)).toEqual({
      turns: [],
      warnings: [
        expect.stringMatching(/^The calendar cancels all of its events \(METHOD:CANCEL\), so none is shown\./),
      ],
    });
    expect(readFeed(calendar(turn('A', 'SEQUENCE:1')) + canceling)).toEqual({ turns: [], warnings: [] });
    expect(readFeed(calendar('METHOD:CANCEL'))).toEqual({ turns: [], warnings: [] });
  });

  it('may be a cancellation in a calendar of its own', () => {
    const cancellation = ['METHOD:cancel', turn('Old', 'SEQUENCE:2')];
    expect(readFeed(calendar(turn('Old', 'SEQUENCE:1')) + calendar(...cancellation)).turns).toEqual([]);
    expect(readFeed(calendar('METHOD:PUBLISH', turn('A'))).turns).toHaveLength(1);
  });

  it('cancels the swaps of a series, unless they are newer', () => {
    const canceled = turn('A', 'RRULE:FREQ=DAILY;COUNT=2', 'STATUS:CANCELLED', 'SEQUENCE:2');
    expect(readFeed(calendar(canceled, swap('B', 'SEQUENCE:2'))).turns).toEqual([]);
    expect(readFeed(calendar(canceled, swap('B', 'SEQUENCE:3'))).turns).toEqual(['B 2026-01-05T08:00']);
  });

  it('does not hide other events that share the UID', () => {
    const other = event('UID:1', 'SUMMARY:B', 'DTSTART:20260106T080000Z', 'DURATION:PT8H');
    expect(readFeed(calendar(turn('A'), other)).turns).toEqual(['A 2026-01-05T08:00', 'B 2026-01-06T08:00']);
  });
});
