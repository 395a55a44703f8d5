import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RetryLater } from '../fetch-external.ts';
import { CallQueue, urgency } from './call-queue.ts';

const orders = fc.record({ urgency: fc.constantFrom(...Object.values(urgency)), rank: fc.nat(5) });

describe('the queue of calls with one token', () => {
  it('makes one call at a time, the most urgent first, and of those the longest waiting', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(orders, { maxLength: 30 }), async (waiting) => {
        const queue = new CallQueue();
        const made: string[] = [];
        let running = 0;
        const call = async (name: string) => {
          running += 1;
          expect(running).toBe(1);
          made.push(name);
          await Promise.resolve();
          running -= 1;
        };
        const names = waiting.map((order, at) => ({ order, name: `${order.urgency} ${order.rank} ${at + 100}` }));
        await Promise.all(names.map(({ order, name }) => queue.add(order, () => call(name))));
        expect(made).toEqual(names.map(({ name }) => name).sort());
      }),
    );
  });

  it('never makes more calls in a window than it may, and only half of them for times far away', async () => {
    const step = fc.record({ passMs: fc.nat(40), calls: fc.array(orders, { maxLength: 8 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        let now = 0;
        const made: { readonly atMs: number; readonly isFar: boolean }[] = [];
        const queue = new CallQueue({ maxCalls: 6, windowMs: 100, now: () => now });
        for (const { passMs, calls } of steps) {
          now += passMs;
          const add = (order: (typeof calls)[number]) =>
            queue.add(order, async () => {
              made.push({ atMs: now, isFar: order.urgency === urgency.farShifts });
            });
          const outcomes = await Promise.allSettled(calls.map(add));
          for (const outcome of outcomes)
            if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(RetryLater);
          const recent = made.filter(({ atMs }) => now - atMs < 100);
          expect(recent.length).toBeLessThanOrEqual(6);
          expect(recent.filter(({ isFar }) => isFar).length).toBeLessThanOrEqual(3);
        }
      }),
    );
  });
});
