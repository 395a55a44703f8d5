import { expect, test } from 'vitest';
import { describeRefused } from './use-conflicts.ts';

test('says what was done, and how many conflicts were left for each reason', () => {
  expect(describeRefused([], ['Helium no longer has the record.'])).toBe('Helium no longer has the record.');
  expect(describeRefused(['7 conflicts reviewed.'], ['It is locked.', 'It has changed.', 'It is locked.'])).toBe(
    '7 conflicts reviewed. 2 conflicts left: It is locked. 1 conflict left: It has changed.',
  );
});
