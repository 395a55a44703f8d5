import type { App } from '@portal/contract/apps';
import { NotSignedIn, Unreachable } from '@portal/kit/problems';
import { Silent } from '@portal/platforms/reachability';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppLists } from './app-lists.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-23T14:55:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

const toApps = (...ids: string[]): App[] => ids.map((id) => ({ id, name: id, fqdn: '', schemaName: id }));
const silence = new Silent('The Helium platform has not answered since 14:55.');

/** A platform that answers, fails, or is silent, as the test sets it. */
function startPlatform(answer: () => Promise<App[]>) {
  const platform: { silence: Silent | undefined } = { silence: undefined };
  const source = { platform, answer, load: async () => ({ entries: await source.answer(), skipped: [] }) };
  return {
    source,
    turnSilent() {
      platform.silence = silence;
      source.answer = () => Promise.reject(silence);
    },
  };
}

const getIds = async (lists: AppLists, { source }: ReturnType<typeof startPlatform>, forReading: boolean) =>
  (await lists.get('session', source, { forReading })).apps.map(({ id }) => id);

describe('last app list of an unavailable platform', () => {
  it('stands for reading for ten minutes, and for nothing else', async () => {
    const lists = new AppLists(30_000);
    const platform = startPlatform(async () => toApps('1', '2'));
    await getIds(lists, platform, false);
    platform.turnSilent();
    await vi.advanceTimersByTimeAsync(599_000);
    expect(await getIds(lists, platform, true)).toEqual(['1', '2']);
    await expect(getIds(lists, platform, false)).rejects.toThrow(
      'The Helium platform has not answered since 14:55. Changes are not possible until it does.',
    );
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(getIds(lists, platform, true)).rejects.toBe(silence);
  });

  it('stands for the call that finds the silence', async () => {
    const lists = new AppLists(0);
    const platform = startPlatform(async () => toApps('1'));
    await getIds(lists, platform, true);
    platform.source.answer = async () => {
      platform.turnSilent();
      throw new Unreachable('The Helium platform did not respond within 15 s.', { timedOut: true });
    };
    expect(await getIds(lists, platform, true)).toEqual(['1']);
  });

  it('stands while the platform answers with an error, except for changes and on request', async () => {
    const lists = new AppLists(30_000);
    const platform = startPlatform(async () => toApps('1'));
    await getIds(lists, platform, true);
    platform.source.answer = () => Promise.reject(new Unreachable('The platform responded with status 500.'));
    await vi.advanceTimersByTimeAsync(599_000);
    expect(await getIds(lists, platform, true)).toEqual(['1']);
    await expect(getIds(lists, platform, false)).rejects.toThrow('status 500');
    await expect(lists.get('session', platform.source, { forReading: true, fresh: true })).rejects.toThrow(
      'status 500',
    );
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(getIds(lists, platform, true)).rejects.toThrow('status 500');
  });

  it('does not stand for a minute once the platform rejects the credentials', async () => {
    const lists = new AppLists(30_000);
    const platform = startPlatform(async () => toApps('1'));
    await getIds(lists, platform, true);
    platform.source.answer = () => Promise.reject(new NotSignedIn('No.'));
    await vi.advanceTimersByTimeAsync(30_000);
    await expect(getIds(lists, platform, true)).rejects.toThrow('No.');
  });

  it('is the shorter one after the platform returned a shorter one', async () => {
    const lists = new AppLists(0);
    const platform = startPlatform(async () => toApps('1', '2'));
    await getIds(lists, platform, true);
    platform.source.answer = async () => toApps('2');
    await getIds(lists, platform, true);
    platform.turnSilent();
    expect(await getIds(lists, platform, true)).toEqual(['2']);
  });

  it('does not stand after the platform rejected the credentials or the session ended', async () => {
    for (const end of [
      async (lists: AppLists, platform: ReturnType<typeof startPlatform>) => {
        platform.source.answer = () => Promise.reject(new NotSignedIn('No.'));
        await expect(getIds(lists, platform, true)).rejects.toThrow('No.');
      },
      async (lists: AppLists) => lists.invalidate('session'),
    ]) {
      const lists = new AppLists(0);
      const platform = startPlatform(async () => toApps('1'));
      await getIds(lists, platform, true);
      await end(lists, platform);
      platform.turnSilent();
      await expect(getIds(lists, platform, true)).rejects.toBe(silence);
    }
  });
});

it('loads an app list again in the background in the last third of its lifetime', async () => {
  const lists = new AppLists(30_000);
  const platform = startPlatform(async () => toApps('old'));
  await getIds(lists, platform, false);
  platform.source.answer = async () => toApps('new');
  await vi.advanceTimersByTimeAsync(19_000);
  expect(await getIds(lists, platform, false)).toEqual(['old']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await getIds(lists, platform, false)).toEqual(['old']);
  expect(await getIds(lists, platform, false)).toEqual(['new']);
});
