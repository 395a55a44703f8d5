import { expect, test } from 'vitest';
import { effectOfDisabled, effectOfLocked, effectOfMaxDbResults } from './effects.ts';

test('the effect of disabling and locking is said in the specified words', () => {
  expect(effectOfDisabled(true).sentences[0]).toBe(
    'A disabled app refuses logins and does not run scheduled functions.',
  );
  expect(effectOfDisabled(true).sentences[1]).toContain('This app is disabled. Please contact support.');
  expect(effectOfLocked(true).sentences[0]).toBe('A locked app blocks logins; background processes continue.');
  expect(effectOfLocked(true).sentences[1]).toContain('This app is locked. Please contact support.');
});

test('going back is another act with another verb', () => {
  expect(effectOfDisabled(false).verb).toBe('Enable app');
  expect(effectOfLocked(false).verb).toBe('Unlock app');
});

test('a lower limit warns of failing queries, a higher one of their weight', () => {
  expect(effectOfMaxDbResults(2500, 1).sentences).toEqual([
    'A query of this app may return 1 row instead of 2,500 rows.',
    'Queries that return more will fail from now on.',
  ]);
  expect(effectOfMaxDbResults(1000, 6500).sentences[1]).toContain('memory');
});
