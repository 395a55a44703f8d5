import { expect, test } from 'vitest';
import { planSkipped, type SkippedRecord } from './skipped-record.ts';

const skipped: SkippedRecord = {
  base: { name: 'old', code: 1 },
  tried: { name: 'old', code: 1 },
  journey: { name: 'old', code: 2_000_000 },
  isReadable: true,
};

test('sends what only Helium changed, and keeps the value that Helium rejected', () => {
  expect(planSkipped(skipped, { name: 'new', code: 1 })).toEqual({
    send: { name: 'new', code: 2_000_000 },
    mustTry: false,
  });
});

test('sends nothing else and tries nothing while Helium is as it was', () => {
  expect(planSkipped(skipped, skipped.tried)).toEqual({ send: skipped.journey, mustTry: false });
  expect(planSkipped({ ...skipped, base: null, tried: null }, null)).toEqual({ send: null, mustTry: false });
});

test.each([
  ['a column that Journey changed too', skipped, { name: 'old', code: 5 }],
  ['the row, which is deleted', skipped, null],
  ['a row that Journey has deleted', { ...skipped, journey: null }, { name: 'new', code: 1 }],
  ['a record whose value in Journey cannot be read', { ...skipped, isReadable: false }, { name: 'new', code: 1 }],
  ['a record that Helium did not have', { ...skipped, base: null, tried: null }, { name: 'new', code: 1 }],
])('tries again when Helium changes %s', (_what, record, row) => {
  expect(planSkipped(record, row).mustTry).toBe(true);
});
