import { TooMany } from '@portal/kit/problems';
import { describe, expect, it } from 'vitest';
import { AttemptQueue } from './attempt-queue.ts';

/** A queue whose attempts run until the test ends them. */
function createTestQueue(limits = { maxRunning: 2, maxWaiting: 6, maxWaitingPerLane: 3 }) {
  const queue = new AttemptQueue(limits);
  const running = new Map<string, () => void>();
  const run = (name: string, lane: string, group = 'group') =>
    queue.run(group, lane, () => new Promise<string>((resolve) => running.set(name, () => resolve(name))));
  return {
    run,
    getRunning: () => [...running.keys()],
    async end(name: string, result: Promise<string> | undefined) {
      running.get(name)?.();
      running.delete(name);
      expect(await result).toBe(name);
    },
  };
}

describe('AttemptQueue', () => {
  it('runs the attempts of a lane one after the other, and those of a group up to the limit', async () => {
    const { run, getRunning, end } = createTestQueue();
    const [a1, a2, b1, c1] = [run('a1', 'a'), run('a2', 'a'), run('b1', 'b'), run('c1', 'c')];
    expect(getRunning()).toEqual(['a1', 'b1']);
    await end('b1', b1);
    expect(getRunning()).toEqual(['a1', 'c1']);
    await end('a1', a1);
    expect(getRunning()).toEqual(['c1', 'a2']);
    await end('c1', c1);
    await end('a2', a2);
    expect(getRunning()).toEqual([]);
  });

  it('lets the lanes of a group take turns', async () => {
    const { run, getRunning, end } = createTestQueue({ maxRunning: 1, maxWaiting: 6, maxWaitingPerLane: 3 });
    const results = new Map(
      [
        ['a1', 'a'],
        ['a2', 'a'],
        ['a3', 'a'],
        ['b1', 'b'],
      ].map(([name = '', lane = '']) => [name, run(name, lane)]),
    );
    const order: string[] = [];
    for (let [name] = getRunning(); name !== undefined; [name] = getRunning()) {
      order.push(name);
      await end(name, results.get(name));
    }
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('runs groups independently', () => {
    const { run, getRunning } = createTestQueue({ maxRunning: 1, maxWaiting: 6, maxWaitingPerLane: 3 });
    void run('a', 'lane', 'first');
    void run('b', 'lane', 'second');
    expect(getRunning()).toEqual(['a', 'b']);
  });

  it('refuses attempts beyond the limits of a lane and of a group', async () => {
    const { run } = createTestQueue();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1']) void run(name, name.charAt(0));
    await expect(run('a5', 'a')).rejects.toThrow(TooMany);
    await expect(run('c2', 'c')).rejects.toThrow(TooMany);
  });

  it('continues after an attempt that failed', async () => {
    const queue = new AttemptQueue({ maxRunning: 1, maxWaiting: 6, maxWaitingPerLane: 3 });
    const failed = queue.run('group', 'a', () => Promise.reject(new Error('no')));
    const next = queue.run('group', 'a', async () => 'next');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('next');
  });
});
