import { createHash, randomBytes } from 'node:crypto';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';
import { addFeed, type FeedTimes, findFeed, removeFeed } from './calendar-feeds.store.ts';

/** Where a feed is read: its secret and `.ics` follow. */
export const feedFolder = '/portal-backend/api/deployment/calendar/';

const deed = { action: 'deployment.feed', outcome: 'done' } as const;

/**
 * Makes the caller's feed, or a new address for it; the secret in the path is in no other place
 * from here on.
 */
export async function createFeed(
  { pool, audit }: Pick<Dependencies, 'pool' | 'audit'>,
  caller: Caller,
): Promise<{ readonly path: string; readonly createdAt: string }> {
  const secret = randomBytes(32).toString('base64url');
  const createdAt = await addFeed(pool, ownerOf(caller), hashOf(secret));
  await audit.write(caller, { ...deed, description: 'Calendar feed made' });
  return { path: `${feedFolder}${secret}.ics`, createdAt: createdAt.toISOString() };
}

export async function revokeFeed({ pool, audit }: Pick<Dependencies, 'pool' | 'audit'>, caller: Caller): Promise<void> {
  if (await removeFeed(pool, ownerOf(caller)))
    await audit.write(caller, { ...deed, description: 'Calendar feed revoked' });
}

/** The caller's own feed, where there is one. */
export function findOwnFeed({ pool }: Pick<Dependencies, 'pool'>, caller: Caller): Promise<FeedTimes | undefined> {
  return findFeed(pool, ownerOf(caller));
}

/** What is stored of a secret. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function ownerOf({ environment, username }: Caller): { readonly environment: string; readonly username: string } {
  return { environment: environment.name, username };
}
