import { expect, test } from 'vitest';
import { formatConflictCount } from './format-conflict-count.ts';

test('shows that there are more conflicts than are counted', () => {
  expect([0, 12_000, 100_000, 100_001].map(formatConflictCount)).toEqual(['0', '12,000', '100,000', '100,000+']);
});
