/** Reads Journey's list of users, each user once. */
import { Unreachable } from '@portal/kit/problems';
import type { JourneyUser } from '@portal/platforms/journey/user-wire';
import { journeyPageMax } from '@portal/platforms/journey/wire';
import type { EnrollmentClient } from './enrollment-round.ts';
import { isUuid } from './row-ids.ts';

const maxAttempts = 3;

interface ReadOptions {
  readonly pageSize?: number;
  readonly onPage?: (users: Map<string, JourneyUser>) => Promise<void>;
}

/**
 * Returns all users with a UUID.
 *
 * Pages are cut by count, so a user who is deleted during reading moves later users forward, and
 * one of them would be missed. Each page therefore starts with the last user of the previous page.
 * If it does not, reading starts again. Throws Unreachable when that keeps happening: sessions must
 * not disappear because the list changes often.
 *
 * @param options.pageSize at least 2
 * @param options.onPage called after each page with all users read so far, which it may replace
 */
export async function readJourneyUsers(
  client: Pick<EnrollmentClient, 'users'>,
  signal: AbortSignal,
  options: ReadOptions = {},
): Promise<JourneyUser[]> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const users = await readPages(client, signal, options);
    // Helium has rows only for users with a UUID.
    if (users !== undefined) return [...users.values()].filter(({ id }) => isUuid(id));
  }
  throw new Unreachable("Journey's list of users changes faster than it can be read.");
}

async function readPages(
  client: Pick<EnrollmentClient, 'users'>,
  signal: AbortSignal,
  { pageSize = journeyPageMax, onPage }: ReadOptions,
): Promise<Map<string, JourneyUser> | undefined> {
  const users = new Map<string, JourneyUser>();
  let last: string | undefined;
  for (let skip = 0; ; ) {
    const { objects, more } = await client.users({ limit: pageSize, skip, signal });
    if (last !== undefined && objects[0]?.id !== last) return undefined;
    for (const user of objects) users.set(user.id.toLowerCase(), { ...user, id: user.id.toLowerCase() });
    await onPage?.(users);
    const hasNew = objects.length > (last === undefined ? 0 : 1);
    last = objects.at(-1)?.id;
    if (!more || !hasNew) return users;
    skip += objects.length - 1;
  }
}
