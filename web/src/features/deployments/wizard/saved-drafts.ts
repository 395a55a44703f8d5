import * as z from 'zod/mini';
import { remembered } from '../../../lib/remembered.ts';
import { type Draft, draftSchema } from './draft.ts';

const keptSchema = z.record(z.string(), draftSchema);

/**
 * What this browser keeps of a user's unsaved schedules, by their purposes in words ('new', 'update-7'). Read anew each
 * time, because another tab may have kept one meanwhile.
 */
export function readDrafts(key: string): Readonly<Record<string, Draft>> {
  const kept = keptSchema.safeParse(remembered.get(key));
  return kept.success ? kept.data : {};
}

export function keepDraft(key: string, purpose: string, draft: Draft): void {
  remembered.set(key, { ...readDrafts(key), [purpose]: draft });
}

export function dropDraft(key: string, purpose: string): void {
  const { [purpose]: _, ...others } = readDrafts(key);
  remembered.set(key, others);
}

/** Where the drafts of a user in an environment are kept. */
export function draftsKeyOf({ username, environment }: { username: string; environment: { name: string } }): string {
  return `deployment-drafts.${environment.name}.${username}`;
}
