import { describe, expect, test } from 'vitest';
import { findDifferences } from './difference.ts';

describe('findDifferences', () => {
  test('returns the path of a single changed value', () => {
    const before = { processEntryPointTimeouts: { 'Nightly:closeOldVisits': 15 }, disabled: false };
    const after = { processEntryPointTimeouts: { 'Nightly:closeOldVisits': 20 }, disabled: false };
    expect(findDifferences(before, after)).toEqual([
      { path: ['processEntryPointTimeouts', 'Nightly:closeOldVisits'], kind: 'changed', before: '15', after: '20' },
    ]);
  });

  test('reports all values as added without a before, and as removed without an after', () => {
    expect(findDifferences(null, { entryPoint: 'a:b', timeoutMins: 5 })).toEqual([
      { path: ['entryPoint'], kind: 'added', before: null, after: '"a:b"' },
      { path: ['timeoutMins'], kind: 'added', before: null, after: '5' },
    ]);
    expect(findDifferences({ timeoutMins: 5 }, null)).toEqual([
      { path: ['timeoutMins'], kind: 'removed', before: '5', after: null },
    ]);
  });

  test('uses an empty path for plain values', () => {
    expect(findDifferences(false, true)).toEqual([{ path: [], kind: 'changed', before: 'false', after: 'true' }]);
    expect(findDifferences('Enabled', 'Enabled')).toEqual([]);
  });

  test('distinguishes a number from the same digits as text', () => {
    expect(findDifferences(15, '15')).toEqual([{ path: [], kind: 'changed', before: '15', after: '"15"' }]);
  });

  test('reports a value that becomes an object as removed, next to the added keys', () => {
    expect(findDifferences({ a: 1 }, { a: { b: 2 } })).toEqual([
      { path: ['a'], kind: 'removed', before: '1', after: null },
      { path: ['a', 'b'], kind: 'added', before: null, after: '2' },
    ]);
  });

  test('compares lists as one value and ignores inherited properties', () => {
    expect(findDifferences({ names: ['a'] }, { names: ['a', 'b'] })).toEqual([
      { path: ['names'], kind: 'changed', before: '["a"]', after: '["a","b"]' },
    ]);
    expect(findDifferences({}, { constructor: 1 })).toEqual([
      { path: ['constructor'], kind: 'added', before: null, after: '1' },
    ]);
  });
});
