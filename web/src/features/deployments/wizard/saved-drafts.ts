import * as z from 'zod/mini';
import { browserStorage } from '../../../state/browser-storage.ts';
import { type Draft, draftSchema } from './draft.ts';

/** Drafts are parsed one by one, so that an unreadable one does not affect the others. */
const savedSchema = z.record(z.string(), z.unknown());

/**
 * Returns a user's unsaved schedules from this browser, keyed by purpose ('new', 'update-7').
 * Always reads the storage, because another tab may have saved one since.
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

/** Returns the storage key of a user's drafts in an environment. */
export function getDraftsKey({ username, environment }: { username: string; environment: { name: string } }): string {
  return `deployment-drafts.${environment.name}.${username}`;
}
