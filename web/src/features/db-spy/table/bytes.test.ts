import { expect, test } from 'vitest';
import { formatBytes } from './bytes.ts';

test('bytes are shown in the largest unit they fill', () => {
  expect([0, 812, 1023, 1024, 1536, 600_789, 5 * 1024 ** 3, 3000 * 1024 ** 4].map(formatBytes)).toEqual([
    '0 B',
    '812 B',
    '1,020 B',
    '1 KiB',
    '1.5 KiB',
    '587 KiB',
    '5 GiB',
    '3,000 TiB',
  ]);
});
