import { expect, it } from 'vitest';
import { versionSchema } from './sync-config.ts';

it.each(['0', '007', '9223372036854775807'])('takes %s for a version', (text) => {
  expect(versionSchema.safeParse(text).success).toBe(true);
});

it.each([
  ['', 'is not a number of 0 or more'],
  ['-1', 'is not a number of 0 or more'],
  ['1e3', 'is not a number of 0 or more'],
  ['12345678901234567890', 'is not a number of 0 or more'],
  ['9223372036854775808', 'is more than 9223372036854775807'],
])('takes %j for none, and says why', (text, reason) => {
  expect(versionSchema.safeParse(text).error?.issues.map(({ message }) => message)).toEqual([reason]);
});
