import type { Shift } from '@portal/platforms/roster/roster-source';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findGaps, findOnCall, getNearOnCallSpan, getOnCallSpan, isIndependentOf, mergeShifts } from './on-call.ts';

const hourMs = 3_600_000;
const now = new Date('2026-03-04T12:00:00Z');
const at = (hours: number) => new Date(now.getTime() + hours * hourMs);

/**
 * From some days before to well after the 30 days of gaps; short shifts, so that they often touch
 * and overlap.
 */
const shift = fc
  .record({
    who: fc.constantFrom('A', 'B', 'C'),
    start: fc.integer({ min: -100, max: 900 }),
    hours: fc.integer({ min: 1, max: 80 }),
  })
  .map(({ who, start, hours }): Shift => ({ personId: who, name: who, start: at(start), end: at(start + hours) }));
const roster = fc.array(shift, { maxLength: 40 });
const hour = fc.integer({ min: 0, max: 719 });

const onShift = (shifts: readonly Shift[], moment: Date) =>
  new Set(shifts.filter(({ start, end }) => start <= moment && end > moment).map(({ personId }) => personId));

describe('on-call status', () => {
  it('lists everyone with a current shift, until the end of their uninterrupted period', () => {
    fc.assert(
      fc.property(roster, (shifts) => {
        const periods = findOnCall(shifts, now).now;
        expect(new Set(periods.map(({ personId }) => personId))).toEqual(onShift(shifts, now));
        for (const { personId, to } of periods) {
          expect(onShift(shifts, new Date(to.getTime() - 1))).toContain(personId);
          expect(onShift(shifts, to)).not.toContain(personId);
          const steps = (to.getTime() - now.getTime()) / hourMs;
          for (let step = 0; step < steps; step++) expect(onShift(shifts, at(step))).toContain(personId);
        }
      }),
    );
  });

  it('the next person is the first to start after now and is not on call just before', () => {
    fc.assert(
      fc.property(roster, (shifts) => {
        const { next } = findOnCall(shifts, now);
        const begins = shifts.filter(
          ({ personId, start }) => start > now && !onShift(shifts, new Date(start.getTime() - 1)).has(personId),
        );
        expect(next?.from.getTime() ?? null).toBe(
          begins.length === 0 ? null : Math.min(...begins.map(({ start }) => start.getTime())),
        );
        if (next) expect(onShift(shifts, next.from)).toContain(next.personId);
      }),
    );
  });

  it('gaps and shifts divide the next 30 days', () => {
    fc.assert(
      fc.property(roster, hour, (shifts, moment) => {
        const { gaps } = findOnCall(shifts, now);
        const isGap = gaps.some(({ from, to }) => from <= at(moment) && to > at(moment));
        expect(isGap).toBe(onShift(shifts, at(moment)).size === 0);
      }),
    );
  });

  it('gaps are ordered, separate and within the span', () => {
    fc.assert(
      fc.property(roster, (shifts) => {
        const gaps = findGaps(shifts, { from: now, to: at(720) });
        const ends = gaps.flatMap(({ from, to }) => [from.getTime(), to.getTime()]);
        expect(ends).toEqual([...new Set(ends)].sort((one, other) => one - other));
        for (const end of ends) expect(end >= now.getTime() && end <= at(720).getTime()).toBe(true);
      }),
    );
  });

  it('is the same with the shifts of the near span only, if it is independent of later ones', () => {
    const near = getNearOnCallSpan(now);
    fc.assert(
      fc.property(roster, (shifts) => {
        const found = findOnCall(
          shifts.filter(({ start, end }) => start < near.to && end > near.from),
          now,
        );
        fc.pre(isIndependentOf(found, near));
        const whole = findOnCall(
          shifts.filter(({ end }) => end > near.from),
          now,
        );
        expect(found).toEqual(whole);
      }),
    );
  });

  it('does not depend on the order of shifts or on past ones', () => {
    fc.assert(
      fc.property(roster, (shifts) => {
        const { from } = getOnCallSpan(now);
        const others = shifts.filter(({ end }) => end > from).toReversed();
        const { now: periods, next, gaps } = findOnCall(shifts, now);
        const again = findOnCall(others, now);
        expect(again.gaps).toEqual(gaps);
        expect(again.next?.from).toEqual(next?.from);
        expect(new Set(again.now.map(({ personId, to }) => `${personId} ${to.getTime()}`))).toEqual(
          new Set(periods.map(({ personId, to }) => `${personId} ${to.getTime()}`)),
        );
      }),
    );
  });
});

it('periods of a person neither touch nor overlap', () => {
  fc.assert(
    fc.property(roster, (shifts) => {
      for (const person of ['A', 'B', 'C']) {
        const periods = mergeShifts(shifts).filter(({ personId }) => personId === person);
        for (const [index, { to }] of periods.entries()) {
          const after = periods[index + 1];
          if (after) expect(after.from.getTime()).toBeGreaterThan(to.getTime());
        }
      }
    }),
  );
});
