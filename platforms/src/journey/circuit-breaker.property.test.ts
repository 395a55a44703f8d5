import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CallOutcome, type CircuitBreaker, createCircuitBreaker, type Permit } from './circuit-breaker.ts';

const backoff = { initialMs: 1_000, maxMs: 60_000 };
const outcomes = fc.constantFrom<CallOutcome>('alive', 'failed', 'unknown');
type Step =
  | { readonly do: 'enter' }
  | { readonly do: 'settle'; which: number; outcome: CallOutcome }
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
  readonly permit: Permit;
  /** Counts how often the breaker has opened or closed. */
  readonly era: number;
  readonly isProbe: boolean;
}

test('opens after the given number of consecutive failures and then allows one probe at a time', () => {
  fc.assert(
    fc.property(
      steps,
      fc.integer({ min: 1, max: 4 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (all, maxFailures, luck) => {
        const breaker = createCircuitBreaker({ maxFailures, backoff, random: () => luck });
        let nowMs = 0;
        let era = 0;
        let inARow = 0;
        let openedAtMs: number | undefined;
        const under: Entered[] = [];

        for (const step of all) {
          if (step.do === 'wait') nowMs += step.ms;
          else if (step.do === 'enter') {
            const waitMs = breaker.waitMs(nowMs);
            const permit = breaker.tryAcquire(nowMs);
            const probes = under.filter(({ isProbe }) => isProbe).length;
            if (openedAtMs === undefined) expect(permit).toBeDefined();
            else if (probes > 0) expect(permit).toBeUndefined();
            else if (permit === undefined) expect(nowMs - openedAtMs).toBeLessThan(backoff.initialMs + backoff.maxMs);
            expect(permit === undefined).toBe(waitMs > 0);
            if (permit) under.push({ permit, era, isProbe: openedAtMs !== undefined });
          } else if (under.length > 0) {
            const [settled] = under.splice(step.which % under.length, 1);
            settled?.permit.report(step.outcome, nowMs);
            if (settled?.era !== era || step.outcome === 'unknown') continue;
            const { isProbe } = settled;
            if (isProbe && step.outcome === 'alive') [openedAtMs, inARow, era] = [undefined, 0, era + 1];
            else if (isProbe) [openedAtMs, era] = [nowMs, era + 1];
            else if (openedAtMs === undefined) inARow = step.outcome === 'alive' ? 0 : inARow + 1;
            if (!isProbe && openedAtMs === undefined && inARow === maxFailures) [openedAtMs, era] = [nowMs, era + 1];
            if (openedAtMs === nowMs) expect(breaker.waitMs(nowMs)).toBeGreaterThanOrEqual(backoff.initialMs);
          }
        }
      },
    ),
    { numRuns: 500 },
  );
});

function opened(random: () => number = () => 0): CircuitBreaker {
  const breaker = createCircuitBreaker({ maxFailures: 2, backoff, random });
  for (const nowMs of [0, 0]) breaker.tryAcquire(nowMs)?.report('failed', nowMs);
  return breaker;
}

test('allows one probe after the wait and all calls once the host responds again', () => {
  const breaker = opened();
  expect(breaker.tryAcquire(999)).toBeUndefined();
  const [probe, ...others] = Array.from({ length: 50 }, () => breaker.tryAcquire(1_000));
  expect(probe).toBeDefined();
  expect(others.every((permit) => permit === undefined)).toBe(true);
  probe?.report('alive', 1_200);
  expect(Array.from({ length: 50 }, () => breaker.tryAcquire(1_200)).every((permit) => permit !== undefined)).toBe(
    true,
  );
});

test('extends the wait with each failed probe, up to a limit, but not with an aborted one', () => {
  const breaker = opened(() => 0.999_999);
  const waits: number[] = [];
  let nowMs = 0;
  for (let probe = 0; probe < 10; probe++) {
    waits.push(breaker.waitMs(nowMs));
    nowMs += breaker.waitMs(nowMs);
    breaker.tryAcquire(nowMs)?.report('unknown', nowMs);
    expect(breaker.waitMs(nowMs)).toBe(0);
    breaker.tryAcquire(nowMs)?.report('failed', nowMs);
  }
  expect(waits.map((waitMs) => Math.round(waitMs / 1_000))).toEqual([2, 3, 5, 9, 17, 33, 61, 61, 61, 61]);
});

test('ignores the outcomes of calls that started before it opened', () => {
  const breaker = createCircuitBreaker({ maxFailures: 1, backoff, random: () => 0 });
  const [first, late, later] = [breaker.tryAcquire(0), breaker.tryAcquire(0), breaker.tryAcquire(0)];
  first?.report('failed', 0);
  late?.report('alive', 10);
  expect(breaker.tryAcquire(10)).toBeUndefined();
  breaker.tryAcquire(1_000)?.report('alive', 1_001);
  later?.report('failed', 1_002);
  expect(breaker.waitMs(1_002)).toBe(0);
});
