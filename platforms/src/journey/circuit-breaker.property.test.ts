import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CircuitBreaker, createCircuitBreaker, type Passage, type PassageOutcome } from './circuit-breaker.ts';

const backoff = { initialMs: 1_000, maxMs: 60_000 };
const outcomes = fc.constantFrom<PassageOutcome>('alive', 'failed', 'unknown');
type Step =
  | { readonly do: 'enter' }
  | { readonly do: 'settle'; which: number; outcome: PassageOutcome }
  | { readonly do: 'wait'; ms: number };
const steps = fc.array(
  fc.oneof(
    fc.constant<Step>({ do: 'enter' }),
    fc.record({ do: fc.constant('settle' as const), which: fc.nat(), outcome: outcomes }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.oneof(fc.nat({ max: 1_500 }), fc.nat({ max: 120_000 })) }),
  ),
  { maxLength: 200 },
);

interface Entered {
  readonly passage: Passage;
  /** How often the breaker had opened or closed by then. */
  readonly era: number;
  readonly isProbe: boolean;
}

test('opens after so many failures in a row, and is then tried by exactly one at a time', () => {
  fc.assert(
    fc.property(
      steps,
      fc.integer({ min: 1, max: 4 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (all, mostFailures, luck) => {
        const breaker = createCircuitBreaker({ mostFailures, backoff, random: () => luck });
        let nowMs = 0;
        let era = 0;
        let inARow = 0;
        let openedAtMs: number | undefined;
        const under: Entered[] = [];

        for (const step of all) {
          if (step.do === 'wait') nowMs += step.ms;
          else if (step.do === 'enter') {
            const waitMs = breaker.waitMs(nowMs);
            const passage = breaker.enter(nowMs);
            const probes = under.filter(({ isProbe }) => isProbe).length;
            if (openedAtMs === undefined) expect(passage).toBeDefined();
            else if (probes > 0) expect(passage).toBeUndefined();
            else if (passage === undefined) expect(nowMs - openedAtMs).toBeLessThan(backoff.initialMs + backoff.maxMs);
            expect(passage === undefined).toBe(waitMs > 0);
            if (passage) under.push({ passage, era, isProbe: openedAtMs !== undefined });
          } else if (under.length > 0) {
            const [settled] = under.splice(step.which % under.length, 1);
            settled?.passage.settle(step.outcome, nowMs);
            if (settled?.era !== era || step.outcome === 'unknown') continue;
            const { isProbe } = settled;
            if (isProbe && step.outcome === 'alive') [openedAtMs, inARow, era] = [undefined, 0, era + 1];
            else if (isProbe) [openedAtMs, era] = [nowMs, era + 1];
            else if (openedAtMs === undefined) inARow = step.outcome === 'alive' ? 0 : inARow + 1;
            if (!isProbe && openedAtMs === undefined && inARow === mostFailures) [openedAtMs, era] = [nowMs, era + 1];
            if (openedAtMs === nowMs) expect(breaker.waitMs(nowMs)).toBeGreaterThanOrEqual(backoff.initialMs);
          }
        }
      },
    ),
    { numRuns: 500 },
  );
});

function opened(random: () => number = () => 0): CircuitBreaker {
  const breaker = createCircuitBreaker({ mostFailures: 2, backoff, random });
  for (const nowMs of [0, 0]) breaker.enter(nowMs)?.settle('failed', nowMs);
  return breaker;
}

test('of many that come at the end of the wait one goes through, and all once it is back alive', () => {
  const breaker = opened();
  expect(breaker.enter(999)).toBeUndefined();
  const [probe, ...others] = Array.from({ length: 50 }, () => breaker.enter(1_000));
  expect(probe).toBeDefined();
  expect(others.every((passage) => passage === undefined)).toBe(true);
  probe?.settle('alive', 1_200);
  expect(Array.from({ length: 50 }, () => breaker.enter(1_200)).every((passage) => passage !== undefined)).toBe(true);
});

test('each probe that fails makes the next wait longer, up to a bound; one that was given up does not', () => {
  const breaker = opened(() => 0.999_999);
  const waits: number[] = [];
  let nowMs = 0;
  for (let probe = 0; probe < 10; probe++) {
    waits.push(breaker.waitMs(nowMs));
    nowMs += breaker.waitMs(nowMs);
    breaker.enter(nowMs)?.settle('unknown', nowMs);
    expect(breaker.waitMs(nowMs)).toBe(0);
    breaker.enter(nowMs)?.settle('failed', nowMs);
  }
  expect(waits.map((waitMs) => Math.round(waitMs / 1_000))).toEqual([2, 3, 5, 9, 17, 33, 61, 61, 61, 61]);
});

test('calls that began before it opened change nothing after', () => {
  const breaker = createCircuitBreaker({ mostFailures: 1, backoff, random: () => 0 });
  const [first, late, later] = [breaker.enter(0), breaker.enter(0), breaker.enter(0)];
  first?.settle('failed', 0);
  late?.settle('alive', 10);
  expect(breaker.enter(10)).toBeUndefined();
  breaker.enter(1_000)?.settle('alive', 1_001);
  later?.settle('failed', 1_002);
  expect(breaker.waitMs(1_002)).toBe(0);
});
