import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AttemptCap } from './attempt-cap.ts';
import type { NewEntry } from './audit.store.ts';

const limits = { maxDifferent: 3, maxSources: 2 };
const actions = ['session.sign-in', 'config.change'];
const windowMs = 600_000;

const text = fc.string({ maxLength: 3 });

/** An attempt of a stranger or a user; what a caller can choose varies. */
const attempts: fc.Arbitrary<NewEntry> = fc.record({
  at: fc.constant(new Date(0)),
  username: text,
  sessionId: fc.constantFrom(null, 'a', 'b'),
  environment: fc.constantFrom('Production', 'Staging'),
  action: fc.constantFrom(...actions),
  resourceKind: fc.option(fc.constantFrom('app', 'dashboard')),
  resource: fc.option(text),
  resourceName: fc.constant(null),
  description: fc.constant('Refused'),
  before: fc.constant(null),
  after: fc.constant(null),
  outcome: fc.constant('refused' as const),
  reason: fc.option(text),
  address: fc.option(fc.oneof(fc.ipV4(), fc.ipV6())),
  userAgent: fc.option(text),
  requestId: fc.option(text),
});

/** Counts entries like the database: equal attempts are one entry with their number. */
function store(cap: AttemptCap, given: readonly NewEntry[]): Map<string, number> {
  const stored = new Map<string, number>();
  for (const each of given) {
    const { username, action, resourceKind, resource, address, environment, outcome, reason } = cap.limit(each);
    const key = JSON.stringify([username, action, resourceKind, resource, address, environment, outcome, reason]);
    stored.set(key, (stored.get(key) ?? 0) + 1);
  }
  return stored;
}

describe('attempts within ten minutes, however they vary,', () => {
  it('add a bounded number of entries, whose counts add up', () => {
    // Each source, and all others together.
    const maxEntries = (limits.maxSources + 1) * (limits.maxDifferent + actions.length * 2);
    fc.assert(
      fc.property(fc.array(attempts, { size: 'large' }), (given) => {
        const stored = store(new AttemptCap(limits), given);
        expect(stored.size).toBeLessThanOrEqual(maxEntries);
        expect([...stored.values()].reduce((sum, count) => sum + count, 0)).toBe(given.length);
      }),
    );
  });

  it('are stored as they are if they do not differ too much', () => {
    fc.assert(
      fc.property(fc.array(attempts, { maxLength: limits.maxDifferent }), fc.nat({ max: 9 }), (given, repeats) => {
        const cap = new AttemptCap({ ...limits, maxSources: given.length });
        for (const each of Array.from({ length: repeats + 1 }, () => given).flat())
          expect(cap.limit(each)).toEqual(each);
      }),
    );
  });

  it('leave other users and addresses their own entries', () => {
    fc.assert(
      fc.property(fc.array(attempts), attempts, (given, other) => {
        const cap = new AttemptCap({ ...limits, maxSources: given.length + 1 });
        for (const each of given) cap.limit({ ...each, sessionId: null, address: '192.0.2.1' });
        const elsewhere = { ...other, sessionId: null, address: '192.0.2.2' };
        expect(cap.limit(elsewhere)).toEqual(elsewhere);
        const user = { ...other, sessionId: 'a', address: '192.0.2.1' };
        expect(cap.limit(user)).toEqual(user);
      }),
    );
  });

  it('get entries of their own again afterwards', () => {
    fc.assert(
      fc.property(fc.array(attempts), attempts, (given, next) => {
        const cap = new AttemptCap(limits);
        for (const each of given) cap.limit(each);
        const later = { ...next, at: new Date(windowMs) };
        expect(cap.limit(later)).toEqual(later);
      }),
    );
  });

  it('show neither names nor targets of others once they are counted together', () => {
    const cap = new AttemptCap(limits);
    const [example] = fc.sample(attempts, 1);
    if (!example) throw new Error('there is no example');
    const limited = Array.from({ length: 5 }, (_, index) =>
      cap.limit({ ...example, sessionId: null, username: `u${index}`, resource: 'r', address: '2001:db8::7' }),
    );
    expect(limited.map(({ username }) => username)).toEqual(['u0', 'u1', 'u2', 'portal', 'portal']);
    expect(limited.at(-1)).toMatchObject({
      resource: null,
      address: '2001:db8:0:0::/64',
      description: 'More attempts of this address, after 3 different ones within ten minutes',
    });
  });
});
