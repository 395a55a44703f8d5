import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findEntryPointError,
  formatEntryPoint,
  getMaxDbResultsTone,
  getTimeoutTone,
  maxDbResultsChoices,
  parseEntryPoint,
  timeoutChoices,
} from './app-config.ts';

describe('getTimeoutTone', () => {
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

describe('getMaxDbResultsTone', () => {
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
  it('offers timeouts of 1 minute, then 5 to 120 in steps of 5', () => {
    expect(timeoutChoices.slice(0, 4)).toEqual([1, 5, 10, 15]);
    expect(timeoutChoices.at(-1)).toBe(120);
    expect(timeoutChoices).toHaveLength(25);
  });
  it('offers a maximum of 1 row, then 500 to 100000 in steps of 500', () => {
    expect(maxDbResultsChoices.slice(0, 3)).toEqual([1, 500, 1000]);
    expect(maxDbResultsChoices.at(-1)).toBe(100_000);
    expect(maxDbResultsChoices).toHaveLength(201);
  });
});

describe('entry points', () => {
  it('reports a missing scope first, then a missing name, then a missing timeout', () => {
    const draft = { scope: ' ', name: '', timeoutMins: 0 };
    expect(findEntryPointError(draft)).toBe('Please enter Entry Point Scope Name');
    expect(findEntryPointError({ ...draft, scope: 'Nightly' })).toBe('Please enter Entry Point');
    expect(findEntryPointError({ ...draft, scope: 'Nightly', name: 'run' })).toBe('Please select a timeout value');
    expect(findEntryPointError({ scope: 'Nightly', name: 'run', timeoutMins: Number.NaN })).toBe(
      'Please select a timeout value',
    );
    expect(findEntryPointError({ scope: 'Nightly', name: 'run', timeoutMins: 5 })).toBeNull();
  });

  it('formats scope and name so that the entry point can be parsed back', () => {
    const scope = fc.string().filter((text) => !text.includes(':'));
    fc.assert(
      fc.property(scope, fc.string(), (someScope, name) => {
        expect(parseEntryPoint(formatEntryPoint({ scope: someScope, name }))).toEqual({
          scope: someScope.trim(),
          name: name.trim(),
        });
      }),
    );
  });
});
