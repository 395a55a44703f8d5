import { describe, expect, test } from 'vitest';
import { findDifferences } from './difference.ts';

describe('findDifferences', () => {
  test('names the one value that changed, by its path', () => {
    const before = { processEntryPointTimeouts: { 'Nightly:closeOldVisits': 15 }, disabled: false };
    const after = { processEntryPointTimeouts: { 'Nightly:closeOldVisits': 20 }, disabled: false };
    expect(findDifferences(before, after)).toEqual([
      { path: ['processEntryPointTimeouts', 'Nightly:closeOldVisits'], kind: 'changed', before: '15', after: '20' },
    ]);
  });

  test('an entry without a before is all added, one without an after all removed', () => {
    expect(findDifferences(null, { entryPoint: 'a:b', timeoutMins: 5 })).toEqual([
      { path: ['entryPoint'], kind: 'added', before: null, after: '"a:b"' },
      { path: ['timeoutMins'], kind: 'added', before: null, after: '5' },
    ]);
    expect(findDifferences({ timeoutMins: 5 }, null)).toEqual([
      { path: ['timeoutMins'], kind: 'removed', before: '5', after: null },
    ]);
  });

  test('plain values have an empty path', () => {
    expect(findDifferences(false, true)).toEqual([{ path: [], kind: 'changed', before: 'false', after: 'true' }]);
    expect(findDifferences('Enabled', 'Enabled')).toEqual([]);
  });

  test('a number and the same digits as text differ', () => {
    expect(findDifferences(15, '15')).toEqual([{ path: [], kind: 'changed', before: '15', after: '"15"' }]);
  });

  test('a value that becomes an object is removed beside the added keys', () => {
    expect(findDifferences({ a: 1 }, { a: { b: 2 } })).toEqual([
      { path: ['a'], kind: 'removed', before: '1', after: null },
      { path: ['a', 'b'], kind: 'added', before: null, after: '2' },
    ]);
  });

  test('lists are one value, and inherited names are not mistaken for stored ones', () => {
    expect(findDifferences({ names: ['a'] }, { names: ['a', 'b'] })).toEqual([
      { path: ['names'], kind: 'changed', before: '["a"]', after: '["a","b"]' },
    ]);
    expect(findDifferences({}, { constructor: 1 })).toEqual([
      { path: ['constructor'], kind: 'added', before: null, after: '1' },
    ]);
  });
});
