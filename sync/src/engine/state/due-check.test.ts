import { expect, test } from 'vitest';
import { DueCheck } from './due-check.ts';

test('a check is due from its request until it has succeeded', async () => {
  const check = new DueCheck();
  expect(check.isDue).toBe(false);
  check.request();
  expect(check.isDue).toBe(true);
  await expect(check.run(() => Promise.reject(new Error('no connection')))).rejects.toThrow('no connection');
  expect(check.isDue).toBe(true);
  expect(await check.run(() => Promise.resolve('done'))).toBe('done');
  expect(check.isDue).toBe(false);
});

test('a check stays due when it is requested again while it runs', async () => {
  const check = new DueCheck();
  await check.run(async () => check.request());
  expect(check.isDue).toBe(true);
});
