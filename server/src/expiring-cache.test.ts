import { describe, expect, it } from 'vitest';
import { ExpiringCache } from './expiring-cache.ts';

const forEver = Number.POSITIVE_INFINITY;

/** Loads the numbers 1, 2, 3 …, each when it is released. */
function counter() {
  let loads = 0;
  const release: (() => void)[] = [];
  const load = () => {
    const value = ++loads;
    return new Promise<number>((resolve) => release.push(() => resolve(value)));
  };
  return { load, release: (index: number) => release[index]?.(), loads: () => loads };
}

describe('ExpiringCache', () => {
  it('loads once for concurrent callers and caches the value', async () => {
    const cache = new ExpiringCache<number>({ ttlMs: forEver });
    const { load, release, loads } = counter();
    const values = [cache.get('a', load), cache.get('a', load)];
    release(0);
    expect(await Promise.all(values)).toEqual([1, 1]);
    expect(await cache.get('a', load)).toBe(1);
    expect(loads()).toBe(1);
  });

  it('loads again for callers that request fresh data, and for those after them', async () => {
    const cache = new ExpiringCache<number>({ ttlMs: forEver });
    const { load, release } = counter();
    const old = cache.get('a', load);
    const fresh = cache.get('a', load, { fresh: true });
    const next = cache.get('a', load);
    release(1);
    release(0);
    expect(await Promise.all([old, fresh, next])).toEqual([1, 2, 2]);
  });

  it('does not return a load that was running when it was invalidated', async () => {
    const cache = new ExpiringCache<number>({ ttlMs: forEver });
    const { load, release } = counter();
    const before = cache.get('a', load);
    cache.invalidateWhere((key) => key === 'a');
    const after = cache.get('a', load);
    release(0);
    release(1);
    expect(await Promise.all([before, after])).toEqual([1, 2]);
  });

  it('passes a failure to all waiting callers and then loads again', async () => {
    const cache = new ExpiringCache<number>({ ttlMs: forEver });
    const fail = () => Promise.reject(new Error('away'));
    await expect(Promise.all([cache.get('a', fail), cache.get('a', fail)])).rejects.toThrow('away');
    expect(await cache.get('a', async () => 7)).toBe(7);
  });

  it('evicts the least recently loaded entries beyond the limit', async () => {
    const cache = new ExpiringCache<string>({ ttlMs: forEver, maxEntries: 2 });
    for (const key of ['a', 'b', 'c']) await cache.get(key, async () => `first ${key}`);
    expect(await cache.get('c', async () => 'again')).toBe('first c');
    expect(await cache.get('a', async () => 'again')).toBe('again');
  });

  it('caches nothing with a lifetime of zero', async () => {
    const cache = new ExpiringCache<number>({ ttlMs: 0 });
    expect(await cache.get('a', async () => 1)).toBe(1);
    expect(await cache.get('a', async () => 2)).toBe(2);
  });

  it('returns an aging value while it is loaded again once in the background', async () => {
    const cache = new ExpiringCache<number>({ ttlMs: forEver, refreshAfterMs: 0 });
    const { load, release, loads } = counter();
    const first = cache.get('a', load);
    release(0);
    await first;
    expect(await Promise.all([cache.get('a', load), cache.get('a', load)])).toEqual([1, 1]);
    expect(loads()).toBe(2);
    release(1);
    await expect.poll(() => cache.get('a', load)).toBe(2);
  });

  it('keeps an aging value when loading it again fails', async () => {
    const cache = new ExpiringCache<number>({ ttlMs: forEver, refreshAfterMs: 0 });
    await cache.get('a', async () => 1);
    expect(await cache.get('a', () => Promise.reject(new Error('away')))).toBe(1);
    expect(await cache.get('a', async () => 2)).toBe(1);
  });

  it('does not let a background load replace a value that was loaded after it began', async () => {
    const cache = new ExpiringCache<number>({ ttlMs: forEver, refreshAfterMs: 0 });
    await cache.get('a', async () => 1);
    const { load, release } = counter();
    await cache.get('a', load);
    await cache.get('a', async () => 7, { fresh: true });
    release(0);
    await Promise.resolve();
    expect(await cache.get('a', load)).toBe(7);
  });

  it('ends a load when its last caller stops waiting, and not before', async () => {
    const cache = new ExpiringCache<number>({ ttlMs: forEver });
    let ending: AbortSignal | undefined;
    const load = (signal: AbortSignal) => {
      ending = signal;
      return new Promise<number>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = [first, second].map(({ signal }) => cache.get('a', load, { signal }));
    const outcomes = Promise.allSettled(calls);
    first.abort(new Error('first left'));
    await expect(calls[0]).rejects.toThrow('first left');
    expect(ending?.aborted).toBe(false);
    second.abort(new Error('second left'));
    await outcomes;
    expect(ending?.reason).toMatchObject({ message: 'second left' });
    expect(await cache.get('a', async () => 5)).toBe(5);
  });

  it('does not end a load for which a caller without a signal waits', async () => {
    const cache = new ExpiringCache<number>({ ttlMs: forEver });
    const { load, release } = counter();
    const staying = cache.get('a', load);
    const leaving = new AbortController();
    const left = expect(cache.get('a', load, { signal: leaving.signal })).rejects.toThrow('left');
    leaving.abort(new Error('left'));
    await left;
    release(0);
    expect(await staying).toBe(1);
    expect(await cache.get('a', load)).toBe(1);
  });
});
