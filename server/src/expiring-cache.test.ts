import { describe, expect, it } from 'vitest';
import { ExpiringCache } from './expiring-cache.ts';

const forEver = Number.POSITIVE_INFINITY;

/** Loads the numbers 1, 2, 3 …, each when it is let go. */
function counter() {
  let loads = 0;
  const release: (() => void)[] = [];
  const load = () => {
    const value = ++loads;
    return new Promise<number>((resolve) => release.push(() => resolve(value)));
  };
  return { load, release: (index: number) => release[index]?.(), loads: () => loads };
}

describe('FreshCache', () => {
  it('loads once for many who ask at the same time, and keeps it', async () => {
    const cache = new ExpiringCache<number>({ ttlMs: forEver });
    const { load, release, loads } = counter();
    const asked = [cache.get('a', load), cache.get('a', load)];
    release(0);
    expect(await Promise.all(asked)).toEqual([1, 1]);
    expect(await cache.get('a', load)).toBe(1);
    expect(loads()).toBe(1);
  });

  it('loads anew for those who ask for fresh, and for all behind them', async () => {
    const cache = new ExpiringCache<number>({ ttlMs: forEver });
    const { load, release } = counter();
    const old = cache.get('a', load);
    const fresh = cache.get('a', load, { fresh: true });
    const next = cache.get('a', load);
    release(1);
    release(0);
    expect(await Promise.all([old, fresh, next])).toEqual([1, 2, 2]);
  });

  it('does not hand out a load that was under way when it was told to forget', async () => {
    const cache = new ExpiringCache<number>({ ttlMs: forEver });
    const { load, release } = counter();
    const before = cache.get('a', load);
    cache.invalidateWhere((key) => key === 'a');
    const after = cache.get('a', load);
    release(0);
    release(1);
    expect(await Promise.all([before, after])).toEqual([1, 2]);
  });

  it('tells a failure to all who wait and then tries again', async () => {
    const cache = new ExpiringCache<number>({ ttlMs: forEver });
    const fail = () => Promise.reject(new Error('away'));
    await expect(Promise.all([cache.get('a', fail), cache.get('a', fail)])).rejects.toThrow('away');
    expect(await cache.get('a', async () => 7)).toBe(7);
  });

  it('holds no more than it may, the latest loaded', async () => {
    const cache = new ExpiringCache<string>({ ttlMs: forEver, maxEntries: 2 });
    for (const key of ['a', 'b', 'c']) await cache.get(key, async () => `first ${key}`);
    expect(await cache.get('c', async () => 'again')).toBe('first c');
    expect(await cache.get('a', async () => 'again')).toBe('again');
  });

  it('keeps nothing with no time to keep', async () => {
    const cache = new ExpiringCache<number>({ ttlMs: 0 });
    expect(await cache.get('a', async () => 1)).toBe(1);
    expect(await cache.get('a', async () => 2)).toBe(2);
  });
});
