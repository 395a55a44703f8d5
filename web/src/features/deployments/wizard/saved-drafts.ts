import * as z from 'zod/mini';
import { browserStorage } from '../../../lib/browser-storage.ts';
import { type Draft, draftSchema } from './draft.ts';

/** A draft that cannot be read costs itself, and no other. */
const savedSchema = z.record(z.string(), z.unknown());

/**
 * Returns what this browser has saved of a user's unsaved schedules, by their purposes in words
 * ('new', 'update-7'). Reads it each time, because another tab may have saved one since.
 */
export function readDrafts(key: string): Readonly<Record<string, Draft>> {
  const saved = savedSchema.safeParse(browserStorage.get(key));
  const drafts = Object.entries(saved.data ?? {}).flatMap(([purpose, draft]) => {
    const read = draftSchema.safeParse(draft);
    return read.success ? [[purpose, read.data] as const] : [];
  });
  return Object.fromEntries(drafts);
}

export function saveDraft(key: string, purpose: string, draft: Draft): void {
  browserStorage.set(key, { ...readDrafts(key), [purpose]: draft });
}

export function deleteDraft(key: string, purpose: string): void {
  const { [purpose]: _, ...others } = readDrafts(key);
  browserStorage.set(key, others);
}

/** Where the drafts of a user in an environment are kept. */
export function getDraftsKey({ username, environment }: { username: string; environment: { name: string } }): string {
  return `deployment-drafts.${environment.name}.${username}`;
}
