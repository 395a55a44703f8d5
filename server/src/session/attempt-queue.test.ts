import { setImmediate } from 'node:timers/promises';
import { TooMany } from '@portal/kit/problems';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AttemptQueue } from './attempt-queue.ts';

const limits = { maxRunning: 3, maxRunningPerKey: 2, maxWaiting: 4, maxWaitingPerKey: 2 };

/**
 * A queue whose attempts run until the test ends them, or ends itself: an attempt that waited any
 * longer would be refused during a later test.
 */
function createTestQueue(given = limits) {
  const queue = new AttemptQueue<string>(given);
  const running = new Map<string, () => void>();
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
    for (const end of running.values()) end();
  });
  return {
    run: (name: string, { lane = name.charAt(0), group = 'group', key = name } = {}) =>
      queue.run(group, lane, key, async () => {
        if (!isOver) await new Promise<void>((resolve) => running.set(name, resolve));
        return name;
      }),
    async getRunning() {
      await setImmediate();
      return [...running.keys()];
    },
    end(name: string) {
      running.get(name)?.();
      running.delete(name);
    },
  };
}

describe('AttemptQueue', () => {
  it('runs attempts up to the limits of a lane and of a group', async () => {
    const { run, getRunning, end } = createTestQueue();
    const results = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => run(name));
    expect(await getRunning()).toEqual(['a1', 'a2', 'b1']);
    end('b1');
    expect(await getRunning()).toEqual(['a1', 'a2', 'b2']);
    end('a1');
    expect(await getRunning()).toEqual(['a2', 'b2', 'a3']);
    for (const name of await getRunning()) end(name);
    expect(await Promise.all(results)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
  });

  it('lets the lanes of a group take turns', async () => {
    const { run, getRunning, end } = createTestQueue({ ...limits, maxRunning: 1, maxWaitingPerKey: 3 });
    for (const name of ['a1', 'a2', 'a3', 'b1']) void run(name);
    const order: string[] = [];
    for (let [name] = await getRunning(); name !== undefined; [name] = await getRunning()) {
      order.push(name);
      end(name);
    }
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('runs groups independently', async () => {
    const { run, getRunning } = createTestQueue({ ...limits, maxRunning: 1 });
    void run('a1', { group: 'first' });
    void run('a2', { group: 'second' });
    expect(await getRunning()).toEqual(['a1', 'a2']);
  });

  it('shares the run of a waiting attempt with the same key, but not of one that has begun', async () => {
    const { run, getRunning, end } = createTestQueue({ ...limits, maxRunningPerKey: 1 });
    const hanging = run('a1', { key: 'same' });
    const waiting = ['a2', 'a3', 'a4', 'a5'].map((name) => run(name, { key: 'same' }));
    expect(await getRunning()).toEqual(['a1']);
    end('a1');
    expect(await hanging).toBe('a1');
    expect(await getRunning()).toEqual(['a2']);
    end('a2');
    expect(await Promise.all(waiting)).toEqual(['a2', 'a2', 'a2', 'a2']);
    expect(await getRunning()).toEqual([]);
  });

  it('refuses attempts beyond the limits of a lane and of a group', async () => {
    const { run } = createTestQueue();
    for (const name of ['a1', 'a2', 'a3', 'a4']) void run(name);
    await expect(run('a5')).rejects.toThrow(TooMany);
    for (const name of ['b1', 'b2', 'b3']) void run(name);
    await expect(run('c1')).rejects.toThrow(TooMany);
  });

  it('continues after an attempt that failed', async () => {
    const queue = new AttemptQueue({ ...limits, maxRunning: 1 });
    const failed = queue.run('group', 'a', 'a1', () => Promise.reject(new Error('no')));
    const next = queue.run('group', 'a', 'a2', async () => 'next');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('next');
  });
});
