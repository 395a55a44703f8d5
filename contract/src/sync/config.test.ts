import { expect, it } from 'vitest';
import { versionSchema } from './config.ts';

it.each(['0', '007', '9223372036854775807'])('accepts %s as a version', (text) => {
  expect(versionSchema.safeParse(text).success).toBe(true);
});

it.each([
  ['', 'must be a whole number, 0 or greater'],
  ['-1', 'must be a whole number, 0 or greater'],
  ['1e3', 'must be a whole number, 0 or greater'],
  ['12345678901234567890', 'must be a whole number, 0 or greater'],
  ['9223372036854775808', 'must be at most 9223372036854775807'],
])('rejects %j as a version, with the reason', (text, reason) => {
  expect(versionSchema.safeParse(text).error?.issues.map(({ message }) => message)).toEqual([reason]);
});
