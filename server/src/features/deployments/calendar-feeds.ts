import { createHash, randomBytes } from 'node:crypto';
import { readCalendarFeed } from '@portal/contract/operations';
import type { Pool } from '@portal/kit/postgres/pool';
import type { Caller } from '../../session/caller.ts';
import { addFeed, type FeedTimes, findFeed, removeFeed } from './calendar-feeds.store.ts';

/** Creates the caller's feed or replaces its address. The secret is returned only here. */
export async function createFeed(
  pool: Pool,
  caller: Caller,
): Promise<{ readonly path: string; readonly createdAt: string }> {
  const secret = randomBytes(32).toString('base64url');
  const createdAt = await addFeed(pool, toOwner(caller), hashSecret(secret));
  return { path: readCalendarFeed.path.replace(':file', `${secret}.ics`), createdAt: createdAt.toISOString() };
}

/** Returns false if the caller has no feed. */
export function revokeFeed(pool: Pool, caller: Caller): Promise<boolean> {
  return removeFeed(pool, toOwner(caller));
}

/** Returns the caller's feed, if there is one. */
export function findCallerFeed(pool: Pool, caller: Caller): Promise<FeedTimes | undefined> {
  return findFeed(pool, toOwner(caller));
}

/** Returns the stored hash of a secret. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function toOwner({ environment, username }: Caller): { readonly environment: string; readonly username: string } {
  return { environment: environment.name, username };
}
