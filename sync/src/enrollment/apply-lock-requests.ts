import type { JourneyUser } from '@portal/platforms/journey/user-wire';
import { readLockRequests, saveAgreedLocks } from './agreed-locks.store.ts';
import type { ColumnType } from './cells.ts';
import { type EnrollmentRound, inAppTransaction } from './enrollment-round.ts';
import { findLockRequest } from './lock-requests.ts';
import { skipRejected } from './run-requests.ts';

/**
 * Locks and unlocks users in Journey as Helium requests, and stores their new state in `users`.
 * Each request is saved immediately, so a flag that is reset during the call becomes a new request.
 * Returns how many requests were executed.
 */
export async function applyLockRequests(
  round: EnrollmentRound,
  { table, flag }: { readonly table: string; readonly flag: ColumnType },
  users: Map<string, JourneyUser>,
): Promise<number> {
  let completed = 0;
  for (const state of await inAppTransaction(round, (db) =>
    readLockRequests(db, { table, flag, stateKey: round.stateKey }),
  )) {
    const request = findLockRequest(state);
    const user = users.get(state.id);
    // A user that Journey does not have yet is locked once it exists there.
    if (request === null || user === undefined) continue;
    const shouldLock = request === 'lock';
    if (user.locked !== shouldLock) {
      const name = `The request to ${request} user ${state.id}`;
      const after = await skipRejected(round, name, () => setLocked(round, user, shouldLock));
      if (after === null) continue;
      users.set(state.id, after);
      round.log('INFO', `User ${state.id} was ${request}ed in Journey.`);
      completed += 1;
    }
    await inAppTransaction(round, (db) => saveAgreedLocks(db, round.stateKey, new Map([[state.id, shouldLock]])));
  }
  return completed;
}

/** Also signs a locked user out everywhere, whether or not Journey has done so. */
async function setLocked(
  { client, signal }: EnrollmentRound,
  { id }: JourneyUser,
  lock: boolean,
): Promise<JourneyUser> {
  if (!lock) {
    await client.unlockUser(id, { signal });
    return { ...(await client.user(id, { signal })), id };
  }
  await client.lockUser(id, { signal });
  const user = await client.user(id, { signal });
  const signedIn = user.sessions.filter(({ state }) => state === 'ENROLLED');
  for (const session of signedIn) await client.reAuthenticate(id, session.id, { signal });
  return { ...(signedIn.length > 0 ? await client.user(id, { signal }) : user), id };
}
