import { beforeEach, describe, expect, it } from 'vitest';
import { PendingRequests } from './pending-requests.ts';

const intervalMs = 900_000;

describe('PendingRequests', () => {
  let nowMs: number;
  let pending: PendingRequests;
  beforeEach(() => {
    nowMs = 0;
    pending = new PendingRequests(intervalMs, () => nowMs);
  });

  it('retries a rejected request ever later, and then at the interval', () => {
    const delays = Array.from({ length: 8 }, () => {
      pending.reject('code', 'no such user');
      expect(pending.isDue('code')).toBe(false);
      const delayMs = pending.retryAtMs - nowMs;
      nowMs += delayMs;
      expect(pending.isDue('code')).toBe(true);
      return delayMs;
    });
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, intervalMs, intervalMs]);
  });

  it('starts again after a success', () => {
    pending.reject('code', 'no such user');
    pending.reject('code', 'no such user');
    pending.succeed('code');
    expect([pending.isDue('code'), pending.retryAtMs]).toEqual([true, Number.POSITIVE_INFINITY]);
    pending.reject('code', 'no such user');
    expect(pending.retryAtMs).toBe(1_000);
  });

  it('reports a reason once until it changes', () => {
    expect(pending.reject('code', 'no such user')).toBe(true);
    expect(pending.reject('code', 'no such user')).toBe(false);
    expect(pending.reject('code', 'the user is deleted')).toBe(true);
  });

  it('makes the requests due that an operator retries, or all of them', () => {
    for (const name of ['code', 'lock', 'other']) pending.reject(name, 'no such user');
    pending.retryNow(['code', 'unknown']);
    expect(['code', 'lock'].map((name) => pending.isDue(name))).toEqual([true, false]);
    pending.retryNow([]);
    expect(['lock', 'other', 'unknown'].map((name) => pending.isDue(name))).toEqual([true, true, true]);
    expect(pending.reject('lock', 'no such user')).toBe(false);
  });

  it('lets many rejected requests wait for the interval', () => {
    for (let number = 0; number < 100; number += 1) pending.reject(`code ${number}`, '');
    pending.reject('code 100', '');
    nowMs = 100_000;
    expect([pending.isDue('code 99'), pending.isDue('code 100')]).toEqual([true, false]);
  });

  it('removes a rejection that was due and did not happen again', () => {
    pending.reject('withdrawn', 'no such user');
    nowMs = 1_000;
    const startedAtMs = pending.start();
    pending.reject('new', 'no such user');
    pending.finish(startedAtMs);
    expect(pending.retryAtMs).toBe(2_000);
    expect(pending.reject('withdrawn', 'no such user')).toBe(true);
  });

  it('has new requests until their execution starts', () => {
    expect(pending.hasNew).toBe(false);
    pending.addNew();
    expect(pending.hasNew).toBe(true);
    pending.start();
    expect(pending.hasNew).toBe(false);
  });
});
