import type { Endpoint } from '@portal/contract/endpoint';
import { parseSkippedEntries, type SkippedEntries, skippedEntriesHeader } from '@portal/contract/skipped-entries';
import { createStore, useStore } from '../state/store.ts';

/** What the last response of each endpoint and app left out. */
const skippedEntries = createStore<ReadonlyMap<string, SkippedEntries>>(new Map());

/** Records what a response left out, or that it is complete. */
export function recordSkippedEntries(endpoint: Endpoint, payload: unknown, headers: Headers): void {
  const key = toKey(endpoint, getAppId(payload));
  const skipped = parseSkippedEntries(headers.get(skippedEntriesHeader));
  const before = skippedEntries.get();
  if (skipped === null && !before.has(key)) return;
  const others = [...before].filter(([other]) => other !== key);
  skippedEntries.set(new Map(skipped === null ? others : [...others, [key, skipped]]));
}

/** Returns what the last response left out; undefined if it was complete. */
export function useSkippedEntries(endpoint: Endpoint, appId?: string): SkippedEntries | undefined {
  return useStore(skippedEntries).get(toKey(endpoint, appId));
}

function toKey({ path }: Endpoint, appId = ''): string {
  return `${path} ${appId}`;
}

function getAppId(payload: unknown): string | undefined {
  const appId: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'appId') : undefined;
  return typeof appId === 'string' ? appId : undefined;
}
