import { createHash, randomBytes } from 'node:crypto';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';
import { addFeed, type FeedTimes, findFeed, removeFeed } from './calendar-feeds.store.ts';

/** Path prefix of feeds, followed by the secret and `.ics`. */
export const feedPathPrefix = '/portal-backend/api/deployment/calendar/';

const auditEntry = { action: 'deployment.feed', outcome: 'done' } as const;

/** Creates the caller's feed or replaces its address. The secret is returned only here. */
export async function createFeed(
  { pool, audit }: Pick<Dependencies, 'pool' | 'audit'>,
  caller: Caller,
): Promise<{ readonly path: string; readonly createdAt: string }> {
  const secret = randomBytes(32).toString('base64url');
  const createdAt = await addFeed(pool, toOwner(caller), hashSecret(secret));
  await audit.write(caller, { ...auditEntry, description: 'Calendar feed created' });
  return { path: `${feedPathPrefix}${secret}.ics`, createdAt: createdAt.toISOString() };
}

export async function revokeFeed({ pool, audit }: Pick<Dependencies, 'pool' | 'audit'>, caller: Caller): Promise<void> {
  if (await removeFeed(pool, toOwner(caller)))
    await audit.write(caller, { ...auditEntry, description: 'Calendar feed revoked' });
}

/** Returns the caller's feed, if there is one. */
export function findCallerFeed({ pool }: Pick<Dependencies, 'pool'>, caller: Caller): Promise<FeedTimes | undefined> {
  return findFeed(pool, toOwner(caller));
}

/** Returns the stored hash of a secret. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function toOwner({ environment, username }: Caller): { readonly environment: string; readonly username: string } {
  return { environment: environment.name, username };
}
