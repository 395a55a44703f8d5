import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareWithMaven, isMavenInstalled } from './maven-order.fixture.ts';
import { compareVersions, isPreRelease, isSnapshot } from './maven-version.ts';

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

  // Maven's own order has a cycle for others: 1.0 < 1.x.1 < 1-rc < 1.0.
  it('orders three versions of numbers with at most one qualifier at the end consistently', () => {
    const numbers = fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 4 }).map((all) => all.join('.'));
    const qualifier = fc.tuple(word, fc.constantFrom('', '1', '-2', '.10')).map((parts) => `-${parts.join('')}`);
    const usual = fc.tuple(numbers, fc.oneof(fc.constant(''), qualifier)).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.tuple(usual, usual, usual), (versions) => {
        const [a, b, c] = versions.toSorted(compareVersions);
        return sign(a ?? '', b ?? '') <= 0 && sign(b ?? '', c ?? '') <= 0 && sign(a ?? '', c ?? '') <= 0;
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("Maven's own order", () => {
  const odd = fc.constantFrom('.', '-', '--', '..', '-.', '');
  const word = fc.constantFrom(
    'alpha',
    'a',
    'b',
    'm',
    'rc',
    'cr',
    'snapshot',
    'ga',
    'final',
    'release',
    'sp',
    'jre',
    'x',
  );
  const number = fc.oneof(
    fc.nat({ max: 12 }).map(String),
    fc.constantFrom('0', '00', '01', '2147483648', '1'.repeat(25)),
  );
  const text = fc
    .array(fc.tuple(fc.oneof(number, word), odd), { minLength: 1, maxLength: 5 })
    .map((parts) => parts.flat().join(''));
  // Pairs with a common start differ where the rules do.
  const pair = fc.oneof(
    fc.tuple(text, text),
    fc.tuple(text, odd, text).map(([a, by, b]) => [a, a + by + b] as const),
  );
  const known = [
    ['1-final-1', '1-1'],
    ['1-ga-1', '1-1'],
    ['1-release2', '1-2'],
    ['1.0--1', '1.0-1'],
    ['1.x.2', '1.x2'],
    ['2.0', '2.0.0-rc1'],
  ] as const;

  it.skipIf(!isMavenInstalled)('is ours for every pair of versions (3.8.7)', { timeout: 120_000 }, async ({ skip }) => {
    const pairs = [...known, ...fc.sample(pair, { numRuns: 20_000, seed: Number(process.env.SEED ?? 1) })];
    const { version, orders } = await compareWithMaven(pairs);
    skip(version !== '3.8.7', `Maven ${version} orders some versions otherwise`);
    expect(orders).toHaveLength(pairs.length);
    expect(pairs.filter(([a, b], index) => sign(a, b) !== orders[index])).toEqual([]);
  });

  /** As Maven 3.8.7 answers. */
  it.each([
    ['1-final-1', '1-1', -1],
    ['1-release2', '1-2', -1],
    ['1.0--1', '1.0-1', -1],
    ['1.x.2', '1.x2', -1],
    ['1.x', '1-x', 0],
  ])('has %s and %s in this order: %d', (a, b, order) => expect(sign(a, b)).toBe(order));
});

it.each([
  ['2.0-rc1', true],
  ['2.0.0-alpha-1', true],
  ['2.0m2', true],
  ['2.0-preview', true],
  ['2.0', false],
  ['2.0-jre8', false],
  ['2.0-android', false],
  ['2.0.Final', false],
])('%s comes before a release: %s', (text, expected) => expect(isPreRelease(text)).toBe(expected));

it.each([
  ['2.0-SNAPSHOT', true],
  ['2.0-snapshot', true],
  ['2.0-20260131.101500-3', true],
  ['2.0', false],
  ['2.0-20260131', false],
  ['2.0-rc1', false],
])('%s is a snapshot: %s', (text, expected) => expect(isSnapshot(text)).toBe(expected));
