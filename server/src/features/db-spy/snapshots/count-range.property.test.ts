import type { StatementCounters } from '@portal/platforms/helium-database/statistics/statement-columns';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countSince, hasRestarted } from './count-range.ts';

/** Duration of each call in milliseconds. */
const calls = fc.array(
  fc.integer({ min: 1, max: 100_000 }).map((micros) => micros / 1_000),
  { maxLength: 40 },
);

/** Returns PostgreSQL's counters for calls of these durations. */
function count(times: readonly number[]): StatementCounters {
  const total_time = times.reduce((sum, time) => sum + time, 0);
  const mean_time = times.length === 0 ? 0 : total_time / times.length;
  const squares = times.reduce((sum, time) => sum + (time - mean_time) ** 2, 0);
  return {
    calls: times.length,
    total_time,
    mean_time,
    stddev_time: times.length === 0 ? 0 : Math.sqrt(squares / times.length),
    rows: times.length * 3,
    plan_time: total_time / 10,
    pages_hit: times.length * 7,
    pages_read: times.length,
    io_time: null,
    temp_bytes: 0,
    wal_bytes: times.length * 100,
    counted_since: null,
  };
}

const anyCounters = fc.record<StatementCounters>({
  calls: fc.nat(),
  total_time: fc.double({ min: 0, max: 1e12, noNaN: true }),
  mean_time: fc.double({ min: 0, max: 1e9, noNaN: true }),
  stddev_time: fc.double({ min: 0, max: 1e9, noNaN: true }),
  rows: fc.nat(),
  plan_time: fc.option(fc.double({ min: 0, max: 1e9, noNaN: true })),
  pages_hit: fc.option(fc.nat()),
  pages_read: fc.option(fc.nat()),
  io_time: fc.option(fc.double({ min: 0, max: 1e9, noNaN: true })),
  temp_bytes: fc.option(fc.nat()),
  wal_bytes: fc.option(fc.nat()),
  counted_since: fc.option(fc.nat({ max: 3 })),
});

function expectClose(actual: StatementCounters, expected: StatementCounters, factor: number): void {
  for (const [name, value] of Object.entries(expected)) {
    const counted = actual[name as keyof StatementCounters];
    if (value === null) expect(counted).toBeNull();
    else expect(Math.abs(Number(counted) - value)).toBeLessThanOrEqual(1e-9 * factor + 1e-4);
  }
}

describe('counts since a snapshot', () => {
  it('equal the counters of the later calls alone, including their deviation', () => {
    fc.assert(
      fc.property(calls, calls, (before, after) => {
        expectClose(countSince(count(before), count([...before, ...after])), count(after), 1e5);
      }),
    );
  });

  it('two consecutive ranges add up to the whole range', () => {
    fc.assert(
      fc.property(calls, calls, calls, (one, two, three) => {
        const [a, b, c] = [count(one), count([...one, ...two]), count([...one, ...two, ...three])];
        const whole = countSince(a, c);
        const [first, second] = [countSince(a, b), countSince(b, c)];
        expect(first.calls + second.calls).toBe(whole.calls);
        expect(first.rows + second.rows).toBe(whole.rows);
        expect(first.total_time + second.total_time).toBeCloseTo(whole.total_time, 6);
      }),
    );
  });

  it('never returns negative figures or NaN', () => {
    fc.assert(
      fc.property(fc.option(anyCounters, { nil: undefined }), anyCounters, (then, now) => {
        for (const value of Object.values(countSince(then, now))) {
          if (value === null) continue;
          expect(value).toBeGreaterThanOrEqual(0);
          expect(Number.isFinite(value)).toBe(true);
        }
      }),
    );
  });

  it('equal the current counters if any counter decreased', () => {
    fc.assert(
      fc.property(anyCounters, anyCounters, (then, now) => {
        fc.pre(hasRestarted(then, now));
        expect(countSince(then, now)).toEqual(now);
      }),
    );
    const fallen = { ...count([1, 2, 3]), wal_bytes: 1 };
    expect(countSince(count([1, 2]), fallen)).toEqual(fallen);
    expect(countSince(undefined, fallen)).toEqual(fallen);
    const returned = { ...count([1, 2, 3]), counted_since: 2 };
    expect(countSince({ ...count([1]), counted_since: 1 }, returned)).toEqual(returned);
  });

  it('returns null for columns that one of the snapshots lacks', () => {
    const [then, now] = [count([1]), { ...count([1, 2]), io_time: 5, plan_time: null }];
    expect(countSince(then, now)).toMatchObject({ calls: 1, total_time: 2, io_time: null, plan_time: null });
  });
});
