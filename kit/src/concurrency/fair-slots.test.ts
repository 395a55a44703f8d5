import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Busy } from '../problems.ts';
import { FairSlots } from './fair-slots.ts';

const [alice, bob, carol] = ['alice', 'bob', 'carol'] as const;

const createRefusal = (because: 'own' | 'others') => new Busy(`too much work of ${because}`, 1);

/** Work that runs until it is finished by the test. */
function startWork(slots: FairSlots, started: string[]) {
  return (owner: string, name: string, signal?: AbortSignal) => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const work = () => {
      started.push(name);
      return finished;
    };
    return { done: slots.run(owner, work, signal), finish };
  };
}

/** Lets everything that is ready to continue do so. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

const getError = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('FairSlots', () => {
  afterEach(() => vi.useRealTimers());

  it('runs two pieces of work per user and leaves the remaining slots to others', async () => {
    const started: string[] = [];
    const start = startWork(new FairSlots({ maxRunning: 3, createRefusal }), started);
    const work = [start(alice, 'a1'), start(alice, 'a2'), start(alice, 'a3'), start(bob, 'b1')];
    await settle();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    work[0]?.finish();
    await settle();
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
    for (const { finish } of work) finish();
    await Promise.all(work.map(({ done }) => done));
  });

  it('serves the waiting user with the least work running first', async () => {
    const started: string[] = [];
    const start = startWork(new FairSlots({ maxRunning: 3, createRefusal }), started);
    const work = [start(alice, 'a1'), start(bob, 'b1'), start(bob, 'b2'), start(alice, 'a2'), start(carol, 'c1')];
    await settle();
    work[1]?.finish();
    await settle();
    expect(started).toEqual(['a1', 'b1', 'b2', 'c1']);
    for (const { finish } of work) finish();
    await Promise.all(work.map(({ done }) => done));
  });

  it('rejects more waiting work per user, and in total, as busy', async () => {
    const slots = new FairSlots({ maxRunning: 1, maxWaiting: 2, maxWaitingPerKey: 1, createRefusal });
    const start = startWork(slots, []);
    const work = [start(alice, 'a1'), start(alice, 'a2')];
    const tooManyOfAlice = await getError(start(alice, 'a3').done);
    expect(tooManyOfAlice).toBeInstanceOf(Busy);
    expect(tooManyOfAlice).toMatchObject({ message: 'too much work of own', status: 429 });
    work.push(start(bob, 'b1'));
    expect(await getError(start(carol, 'c1').done)).toMatchObject({ message: 'too much work of others' });
    for (const { finish } of work) finish();
    await Promise.all(work.map(({ done }) => done));
  });

  it('rejects work that waits too long as busy and gives its place to later work', async () => {
    vi.useFakeTimers();
    const started: string[] = [];
    const start = startWork(new FairSlots({ maxRunning: 1, maxWaitMs: 10_000, createRefusal }), started);
    const first = start(alice, 'a1');
    const late = getError(start(bob, 'b1').done);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await late).toBeInstanceOf(Busy);
    const next = start(bob, 'b2');
    first.finish();
    await first.done;
    await vi.advanceTimersByTimeAsync(0);
    expect(started).toEqual(['a1', 'b2']);
    next.finish();
    await next.done;
  });

  it('stops waiting when the signal aborts', async () => {
    const started: string[] = [];
    const start = startWork(new FairSlots({ maxRunning: 1, createRefusal }), started);
    const first = start(alice, 'a1');
    const abort = new AbortController();
    const second = getError(start(bob, 'b1', abort.signal).done);
    const reason = new Error('the client disconnected');
    abort.abort(reason);
    expect(await second).toBe(reason);
    first.finish();
    await first.done;
    await settle();
    expect(started).toEqual(['a1']);
  });

  it('never runs more than allowed and loses no work, whatever the order', async () => {
    const job = fc.record({ owner: fc.integer({ min: 0, max: 3 }), fails: fc.boolean(), turns: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(job, { maxLength: 30 }), async (jobs) => {
        const slots = new FairSlots({ maxRunning: 3, maxWaiting: 30, maxWaitingPerKey: 30, createRefusal });
        const running = new Map<number, number>();
        const run = ({ owner, fails, turns }: (typeof jobs)[number]) =>
          slots.run(String(owner), async () => {
            running.set(owner, (running.get(owner) ?? 0) + 1);
            expect(running.get(owner)).toBeLessThanOrEqual(2);
            expect([...running.values()].reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(3);
            for (let turn = 0; turn < turns; turn++) await null;
            running.set(owner, (running.get(owner) ?? 0) - 1);
            if (fails) throw new Error('failed');
          });
        const results = await Promise.allSettled(jobs.map(run));
        expect(results.map(({ status }) => status)).toEqual(
          jobs.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')),
        );
      }),
    );
  });
});
