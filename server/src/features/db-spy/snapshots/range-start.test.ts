import { describe, expect, it } from 'vitest';
import { getRangeBeginning, resolveRangeStart } from './range-start.ts';

const now = new Date('2026-11-21T12:00:00Z');
const at = (time: string) => new Date(`2026-11-21T${time}:00Z`);
const beginning = getRangeBeginning('hour', now);
const snapshotAt = (time: string) => ({ takenAt: at(time), statsReset: null, serverStartedAt: at('01:00') });
const unchanged = { lastReset: at('02:00'), startedAt: at('01:00') };

describe('start of a statistics range', () => {
  it('starts a range an hour, a day or a week ago', () => {
    expect(beginning).toEqual(at('11:00'));
    expect(getRangeBeginning('day', now)).toEqual(new Date('2026-11-20T12:00:00Z'));
    expect(getRangeBeginning('week', now)).toEqual(new Date('2026-11-14T12:00:00Z'));
  });

  it('uses a nearby snapshot without a note', () => {
    const snapshot = snapshotAt('10:55');
    expect(resolveRangeStart(beginning, snapshot, unchanged)).toEqual({
      from: snapshot.takenAt,
      snapshot,
      mayHaveLostCounts: false,
      notes: [],
    });
  });

  it('adds a note if the snapshot is far from the requested start, on either side', () => {
    expect(resolveRangeStart(beginning, snapshotAt('09:00'), unchanged).notes).toEqual([
      'The nearest snapshot was taken at 2026-11-21 09:00 UTC; counted from then.',
    ]);
    expect(resolveRangeStart(beginning, snapshotAt('11:30'), unchanged).notes).toEqual([
      'The oldest snapshot was taken at 2026-11-21 11:30 UTC; counted from then.',
    ]);
  });

  it('starts a range at a reset that happened after the snapshot', () => {
    expect(resolveRangeStart(beginning, snapshotAt('10:55'), { ...unchanged, lastReset: at('11:20') })).toEqual({
      from: at('11:20'),
      snapshot: undefined,
      mayHaveLostCounts: false,
      notes: ['The statistics were reset at 2026-11-21 11:20 UTC; counted from then.'],
    });
  });

  it("detects a reset by the server's own timestamps, regardless of its clock", () => {
    const snapshot = { ...snapshotAt('10:55'), statsReset: at('02:00') };
    expect(resolveRangeStart(beginning, snapshot, unchanged)).toMatchObject({ from: snapshot.takenAt, notes: [] });
    expect(resolveRangeStart(beginning, snapshot, { ...unchanged, lastReset: at('10:54') })).toMatchObject({
      from: at('10:54'),
      snapshot: undefined,
    });
  });

  it('starts a range at the last reset if there is no snapshot, with its time if known', () => {
    expect(resolveRangeStart(beginning, undefined, unchanged)).toMatchObject({
      from: at('02:00'),
      notes: ['No snapshot exists yet; counted from the last reset, at 2026-11-21 02:00 UTC.'],
    });
    expect(resolveRangeStart(beginning, undefined, { ...unchanged, lastReset: null })).toMatchObject({
      from: null,
      notes: ['No snapshot exists yet; counted from the last reset.'],
    });
  });

  it('detects a restart of the server', () => {
    const restarted = { ...unchanged, startedAt: at('11:10') };
    const start = resolveRangeStart(beginning, snapshotAt('10:55'), restarted);
    expect(start).toMatchObject({
      mayHaveLostCounts: true,
      notes: ['The server was restarted at 2026-11-21 11:10 UTC; counters lost then start from that time.'],
    });
    const sure = resolveRangeStart(beginning, { ...snapshotAt('10:55'), statsReset: unchanged.lastReset }, restarted);
    expect(sure).toMatchObject({ mayHaveLostCounts: false, notes: [] });
  });
});
