import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mustAskAboutDeletion } from './deletion-brake.ts';

const counts = fc
  .record({ known: fc.nat(100_000), share: fc.nat(1_000), maxDeletedPercent: fc.nat(100) })
  .map(({ known, share, maxDeletedPercent }) => ({
    known,
    absent: Math.min(known, Math.ceil((known * share) / 1_000)),
    maxDeletedPercent,
  }));

test('never lets an object become empty unasked', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), fc.nat(100), (known, maxDeletedPercent) => {
      expect(mustAskAboutDeletion({ known, absent: known, maxDeletedPercent })).toBe(true);
    }),
  );
});

test('asks exactly when more than 20 and more than the share are absent, or all of them', () => {
  fc.assert(
    fc.property(counts, (one) => {
      const isEmptied = one.absent > 0 && one.absent === one.known;
      const isMany = one.absent > 20 && one.absent / one.known > one.maxDeletedPercent / 100;
      expect(mustAskAboutDeletion(one)).toBe(isEmptied || isMany);
    }),
  );
});

test('still deletes unasked after a part was deleted, so that a run that was killed can continue', () => {
  fc.assert(
    fc.property(counts, fc.nat(100_000), ({ known, absent, maxDeletedPercent }, part) => {
      fc.pre(part <= absent && !mustAskAboutDeletion({ known, absent, maxDeletedPercent }));
      const rest = { known: known - part, absent: absent - part, maxDeletedPercent };
      expect(mustAskAboutDeletion(rest)).toBe(false);
    }),
  );
});

test.each([
  [1, 1, true],
  [20, 20, true],
  [21, 20, false],
  [399, 20, false],
  [400, 21, true],
  [420, 21, false],
  [300, 300, true],
  [0, 0, false],
])('of %i known records, %i absent ones: asks %s', (known, absent, asks) => {
  expect(mustAskAboutDeletion({ known, absent, maxDeletedPercent: 5 })).toBe(asks);
});
