import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { countWithin } from './count-within.ts';

const names = ['a', 'b', 'c', 'd', 'e'];
const { signal: staying } = new AbortController();

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
    const counts = await countWithin(names, count, { concurrency: 2, timeoutMs: 60_000, signal: staying });
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
    const counts = await countWithin(names, count, { concurrency: 2, timeoutMs: 20, signal: staying });
    expect([...counts]).toEqual([['a', 1]]);
    expect(counted).toEqual(['a', 'b', 'c']);
  });

  it('stops with the reason of its signal and starts no more counts', async () => {
    const leaving = new AbortController();
    const counted: string[] = [];
    const count = async (name: string, signal: AbortSignal) => {
      counted.push(name);
      if (name === 'b') leaving.abort(new Error('gone'));
      signal.throwIfAborted();
      return 1;
    };
    const { signal } = leaving;
    await expect(countWithin(names, count, { concurrency: 1, timeoutMs: 60_000, signal })).rejects.toThrow('gone');
    expect(counted).toEqual(['a', 'b']);
  });

  it('stops at the first error', async () => {
    const count = async () => Promise.reject(new Error('wrong'));
    await expect(countWithin(names, count, { concurrency: 2, timeoutMs: 60_000, signal: staying })).rejects.toThrow(
      'wrong',
    );
  });
});
