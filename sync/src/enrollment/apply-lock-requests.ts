import type { JourneyUser } from '@portal/platforms/journey/user-wire';
import { type EnrollmentRound, inAppTransaction } from './enrollment-round.ts';
import { findLockRequest, type LockState } from './lock-requests.ts';
import { skipRejected } from './run-requests.ts';
import { type LockColumn, readLockRequests, readLockState, saveLockStages, saveSeenLocks } from './user-locks.store.ts';

/** Journey's users, as far as they were read. Requests update them. */
export interface KnownUsers {
  readonly users: Map<string, JourneyUser>;
  /** Whether a user that is missing here is missing in Journey. */
  readonly isComplete: boolean;
}

/**
 * Locks and unlocks users in Journey as Helium requests, and stores their new state in `known`.
 * Each request is saved immediately, so a flag that is reset during the call becomes a new request.
 * Returns how many requests were executed.
 */
export async function applyLockRequests(
  round: EnrollmentRound,
  column: LockColumn,
  known: KnownUsers,
): Promise<number> {
  const stored = { ...column, stateKey: round.stateKey };
  const requests = await inAppTransaction(round, async (db) => {
    await saveSeenLocks(db, stored);
    return readLockRequests(db, stored);
  });
  let completed = 0;
  for (const { id, ...found } of requests) {
    let state: LockState | null = found;
    for (let request = findLockRequest(found); request !== null; request = state && findLockRequest(state)) {
      const shouldLock = request === 'lock';
      const name = `The request to ${request} user ${id}`;
      const outcome = await skipRejected(round, name, async () =>
        // A user that Journey does not have yet is locked once it exists there.
        known.isComplete && !known.users.has(id) ? null : setLocked(round, id, shouldLock),
      );
      if (outcome === null) break;
      if (known.users.has(id)) known.users.set(id, outcome.user);
      if (outcome.hasChanged) {
        round.log('INFO', `User ${id} was ${request}ed in Journey.`);
        completed += 1;
      }
      state = await inAppTransaction(round, async (db) => {
        await saveLockStages(db, round.stateKey, new Map([[id, shouldLock ? 'locked' : 'unlocked']]));
        return readLockState(db, stored, id);
      });
    }
  }
  return completed;
}

/** Also signs a locked user out everywhere, whether or not Journey has done so. */
async function setLocked(
  { client, signal }: EnrollmentRound,
  id: string,
  lock: boolean,
): Promise<{ readonly user: JourneyUser; readonly hasChanged: boolean }> {
  const readUser = async () => ({ ...(await client.user(id, { signal })), id });
  const before = await readUser();
  let user = before;
  if (user.locked !== lock) {
    await (lock ? client.lockUser : client.unlockUser)(id, { signal });
    user = await readUser();
  }
  const signedIn = lock ? user.sessions.filter(({ state }) => state === 'ENROLLED') : [];
  for (const session of signedIn) await client.reAuthenticate(id, session.id, { signal });
  if (signedIn.length > 0) user = await readUser();
  return { user, hasChanged: user !== before };
}
