import { describe, expect, it } from 'vitest';
import { describeChange, describeState, pickSettings } from './changed-settings.ts';
import { formatTimeAgo } from './format-time-ago.ts';

const timeouts = (processEntryPointTimeouts: Record<string, number | null>) => ({ processEntryPointTimeouts });

describe('description of a configuration change', () => {
  it.each([
    [timeouts({ 'A:a': 15 }), timeouts({ 'A:a': 20 }), 'Entry point A:a 15 → 20 min'],
    [timeouts({ 'A:a': null }), timeouts({ 'A:a': 20 }), 'Entry point A:a set to 20 min'],
    [timeouts({ 'A:a': 15 }), timeouts({ 'A:a': null }), 'Entry point A:a removed (was 15 min)'],
    [timeouts({ 'A:a': 15, 'B:b': null }), timeouts({ 'A:a': null, 'B:b': 20 }), 'Entry point A:a 15 min → B:b 20 min'],
    [{ maxDatabaseResults: 1000 }, { maxDatabaseResults: 2500 }, 'Maximum database results 1000 → 2500'],
    [{ disabled: false }, { disabled: true }, 'App disabled'],
    [{ disabled: true }, { disabled: false }, 'App enabled'],
    [{ locked: false }, { locked: true }, 'App locked'],
    [{ locked: true }, { locked: false }, 'App unlocked'],
  ])('describes %j → %j', (before, after, words) => {
    expect(describeChange(before, after)).toBe(words);
  });

  it('describes the current state', () => {
    expect(describeState(timeouts({ 'A:a': null, 'B:b': 5 }))).toBe('A:a is not set, B:b is 5 min');
    expect(describeState({ maxDatabaseResults: 500 })).toBe('the maximum is 500');
    expect(describeState({ disabled: false })).toBe('the app is enabled');
    expect(describeState({ locked: true })).toBe('the app is locked');
  });
});

it('an entry point named like an Object.prototype property counts as not set', () => {
  expect(pickSettings(timeouts({ 'A:a': 15 }), timeouts({ constructor: null, 'A:a': 20 }))).toEqual(
    timeouts({ constructor: null, 'A:a': 15 }),
  );
});

describe('time ago', () => {
  it.each([
    [0, 'just now'],
    [59, 'just now'],
    [60, 'one minute ago'],
    [125, 'two minutes ago'],
    [3_599, '59 minutes ago'],
    [3_600, 'one hour ago'],
    [86_399, '23 hours ago'],
    [86_400, 'on 2026-01-01 12:00 UTC'],
  ])('formats an age of %d seconds', (seconds, words) => {
    const at = new Date('2026-01-01T12:00:00Z');
    expect(formatTimeAgo(at, new Date(at.getTime() + seconds * 1000))).toBe(words);
  });
});
