import { expect, test } from 'vitest';
import { getDisabledEffect, getLockedEffect, getMaxDbResultsEffect } from './effects.ts';

test('describes the effect of disabling and locking in the specified words', () => {
  expect(getDisabledEffect(true).sentences[0]).toBe(
    'A disabled app refuses logins and does not run scheduled functions.',
  );
  expect(getDisabledEffect(true).sentences[1]).toContain('This app is disabled. Please contact support.');
  expect(getLockedEffect(true).sentences[0]).toBe('A locked app blocks logins; background processes continue.');
  expect(getLockedEffect(true).sentences[1]).toContain('This app is locked. Please contact support.');
});

test('uses a different title and verb for enabling and unlocking', () => {
  expect(getDisabledEffect(false).confirmLabel).toBe('Enable app');
  expect(getLockedEffect(false).confirmLabel).toBe('Unlock app');
});

test('names the number of apps where several are locked or unlocked at once', () => {
  const titles = [getLockedEffect(true, 2), getLockedEffect(false, 2)].map(({ title, confirmLabel }) => [
    title,
    confirmLabel,
  ]);
  expect(titles).toEqual([
    ['Lock 2 apps?', 'Lock apps'],
    ['Unlock 2 apps?', 'Unlock apps'],
  ]);
});

test('warns about failing queries for a lower limit and about load for a higher one', () => {
  expect(getMaxDbResultsEffect(2500, 1).sentences).toEqual([
    'A query of this app may return 1 row instead of 2,500 rows.',
    'Queries that return more will fail.',
  ]);
  expect(getMaxDbResultsEffect(1000, 6500).sentences[1]).toContain('memory');
});
