import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mergeParts } from './merge-parts.ts';
import type { PartReading } from './pager-duty-schedule.ts';
import { divide } from './slices.ts';
import type { Entry } from './wire.ts';

const hourMs = 3_600_000;
const at = (hours: number) => new Date(hours * hourMs);
const whole = { from: at(0), to: at(1_000) };

const entries = fc.uniqueArray(
  fc.record({
    personId: fc.constantFrom('A', 'B', 'C'),
    name: fc.constant(undefined),
    start: fc.integer({ min: -50, max: 1_050 }).map(at),
    hours: fc.option(fc.integer({ min: 1, max: 300 }), { nil: null, freq: 10 }),
  }),
  { selector: ({ personId, start }) => `${personId} ${start.getTime()}`, maxLength: 40 },
);

const isIn = ({ start, end }: Entry, { from, to }: { from: Date; to: Date }) =>
  start < to && (end === null || end > from);
const read = (all: readonly Entry[], part: { from: Date; to: Date }): PartReading => ({
  ...part,
  entries: all.filter((entry) => isIn(entry, part)),
  unreadable: [],
});
const sorted = (shifts: readonly Entry[]) =>
  shifts.map(({ personId, start, end }) => `${start.toISOString()} ${personId} ${end?.toISOString()}`).sort();

it('shifts read in parts of any length, in any order, are those that one call would return', () => {
  fc.assert(
    fc.property(entries, fc.integer({ min: 5, max: 1_000 }), fc.infiniteStream(fc.nat()), (written, hours, order) => {
      const all = written.map(({ hours: length, ...entry }) => ({
        ...entry,
        end: length === null ? null : new Date(entry.start.getTime() + length * hourMs),
      }));
      const parts = divide(whole, hours * hourMs)
        .map((part) => ({ part, rank: order.next().value ?? 0 }))
        .sort((one, other) => one.rank - other.rank)
        .map(({ part }) => read(all, part));
      expect(sorted(mergeParts(parts))).toEqual(sorted(mergeParts([read(all, whole)])));
    }),
  );
});

it('a shift that was given to another person since a part was read is not shown for both', () => {
  const [first, second] = divide(whole, 500 * hourMs);
  if (!first || !second) throw new Error('expected two parts');
  const shift = { personId: 'A', name: undefined, start: at(480), end: at(520) };
  const before = read([shift], first);
  const after = read([{ ...shift, personId: 'B' }], second);
  expect(mergeParts([after, before])).toEqual([{ ...shift, personId: 'B' }]);
  const shortened = read([{ ...shift, end: at(510) }], second);
  expect(mergeParts([shortened, before])).toEqual([{ ...shift, end: at(510) }]);
});
