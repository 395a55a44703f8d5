import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  entryPointOf,
  findEntryPointError,
  getMaxDbResultsTone,
  getTimeoutTone,
  maxDbResultsChoices,
  splitEntryPoint,
  timeoutChoices,
} from './app-config.ts';

describe('toneOfTimeout', () => {
  it.each([
    [0, 'primary', 'primary'],
    [1, 'success', 'primary'],
    [19, 'success', 'primary'],
    [20, 'warning', 'warning'],
    [44, 'warning', 'warning'],
    [45, 'warning', 'danger'],
    [46, 'danger', 'danger'],
    [120, 'danger', 'danger'],
  ] as const)('%i minutes is %s in the chooser and %s in a row', (minutes, chooser, row) => {
    expect(getTimeoutTone(minutes, 'chooser')).toBe(chooser);
    expect(getTimeoutTone(minutes, 'row')).toBe(row);
  });
});

describe('toneOfMaxDbResults', () => {
  it.each([
    [1, 'success'],
    [2499, 'success'],
    [2500, 'warning'],
    [6000, 'warning'],
    [6001, 'danger'],
  ] as const)('%i rows is %s', (rows, tone) => {
    expect(getMaxDbResultsTone(rows)).toBe(tone);
  });
});

describe('choices', () => {
  it('offers 1, then 5 to 120 minutes in steps of 5', () => {
    expect(timeoutChoices.slice(0, 4)).toEqual([1, 5, 10, 15]);
    expect(timeoutChoices.at(-1)).toBe(120);
    expect(timeoutChoices).toHaveLength(25);
  });
  it('offers 1, then 500 to 100000 rows in steps of 500', () => {
    expect(maxDbResultsChoices.slice(0, 3)).toEqual([1, 500, 1000]);
    expect(maxDbResultsChoices.at(-1)).toBe(100_000);
    expect(maxDbResultsChoices).toHaveLength(201);
  });
});

describe('entry points', () => {
  it('asks for the scope, then the name, then the timeout', () => {
    const draft = { scope: ' ', name: '', timeoutMins: 0 };
    expect(findEntryPointError(draft)).toBe('Please enter Entry Point Scope Name');
    expect(findEntryPointError({ ...draft, scope: 'Nightly' })).toBe('Please enter Entry Point');
    expect(findEntryPointError({ ...draft, scope: 'Nightly', name: 'run' })).toBe('Please select a timeout value');
    expect(findEntryPointError({ scope: 'Nightly', name: 'run', timeoutMins: Number.NaN })).toBe(
      'Please select a timeout value',
    );
    expect(findEntryPointError({ scope: 'Nightly', name: 'run', timeoutMins: 5 })).toBeNull();
  });

  it('joins scope and name so that they can be taken apart again', () => {
    const scope = fc.string().filter((text) => !text.includes(':'));
    fc.assert(
      fc.property(scope, fc.string(), (someScope, name) => {
        expect(splitEntryPoint(entryPointOf({ scope: someScope, name }))).toEqual({
          scope: someScope.trim(),
          name: name.trim(),
        });
      }),
    );
  });
});
