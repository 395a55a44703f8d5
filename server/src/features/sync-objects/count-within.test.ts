import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { countWithin } from './count-within.ts';

const names = ['a', 'b', 'c', 'd', 'e'];

describe('counting with a time limit', () => {
  it('counts every object within the concurrency limit', async () => {
    let running = 0;
    let maxRunning = 0;
    const count = async (name: string) => {
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return name === 'c' ? null : name.charCodeAt(0);
    };
    const counts = await countWithin(names, count, { concurrency: 2, timeoutMs: 60_000 });
    expect([...counts]).toEqual(
      expect.arrayContaining([
        ['a', 97],
        ['e', 101],
      ]),
    );
    expect(counts.has('c')).toBe(false);
    expect([counts.size, maxRunning]).toEqual([4, 2]);
  });

  it('stops in time and returns the counts so far', async () => {
    const counted: string[] = [];
    const count = async (name: string, signal: AbortSignal) => {
      counted.push(name);
      if (name === 'a') return 1;
      await once(signal, 'abort');
      throw signal.reason;
    };
    const counts = await countWithin(names, count, { concurrency: 2, timeoutMs: 20 });
    expect([...counts]).toEqual([['a', 1]]);
    expect(counted).toEqual(['a', 'b', 'c']);
  });

  it('stops at the first error', async () => {
    const count = async () => Promise.reject(new Error('wrong'));
    await expect(countWithin(names, count, { concurrency: 2, timeoutMs: 60_000 })).rejects.toThrow('wrong');
  });
});
