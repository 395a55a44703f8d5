import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions, isSnapshot } from './maven-version.ts';

const word = fc.constantFrom('alpha', 'beta', 'a', 'b', 'm', 'rc', 'cr', 'SNAPSHOT', 'ga', 'final', 'sp', 'jre', 'x');
const part = fc.oneof(fc.nat({ max: 12 }).map(String), word, fc.constant('0'));
const version = fc
  .array(fc.tuple(part, fc.constantFrom('.', '-', '')), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.map(([text, separator]) => text + separator).join(''));
const sign = (a: string, b: string) => Math.sign(compareVersions(a, b));

describe('order of Maven versions', () => {
  it.each([
    [
      '1.0-alpha-1',
      '1.0-alpha-2',
      '1.0-beta-1',
      '1.0-milestone-1',
      '1.0-rc-1',
      '1.0-rc-2',
      '1.0-SNAPSHOT',
      '1.0',
      '1.0-sp',
      '1.0-jre',
      '1.0-1',
      '1.0.1',
    ],
    ['1.9.0', '1.9.1', '1.10.0-rc1', '1.10.0', '1.10.0.1', '2', '10', '100000000000000000001', '100000000000000000002'],
  ])('increases from %s', (...rising) => {
    for (const [index, later] of rising.entries())
      for (const earlier of rising.slice(0, index)) expect(`${earlier} ${sign(earlier, later)}`).toBe(`${earlier} -1`);
  });

  it.each([
    ['1', '1.0.0'],
    ['1.0-final', '1'],
    ['1-GA', '1.0'],
    ['1.0.0-rc1', '1-CR-1'],
    ['1.0a1', '1.0-alpha-1'],
    ['1.0.0-foo.0.0', '1-foo'],
    ['1.007', '1.7'],
  ])('treats %s and %s as equal', (a, b) => expect(compareVersions(a, b)).toBe(0));

  it('never orders two versions both ways', () => {
    fc.assert(fc.property(version, version, (a, b) => sign(a, b) === 0 - sign(b, a)));
  });

  it('orders three versions consistently', () => {
    fc.assert(
      fc.property(fc.tuple(version, version, version), (versions) => {
        const [a, b, c] = versions.toSorted(compareVersions);
        return sign(a ?? '', b ?? '') <= 0 && sign(b ?? '', c ?? '') <= 0 && sign(a ?? '', c ?? '') <= 0;
      }),
      { numRuns: 2_000 },
    );
  });
});

it.each([
  ['2.0-SNAPSHOT', true],
  ['2.0-snapshot', true],
  ['2.0-20260131.101500-3', true],
  ['2.0', false],
  ['2.0-20260131', false],
  ['2.0-rc1', false],
])('%s is a snapshot: %s', (text, expected) => expect(isSnapshot(text)).toBe(expected));
