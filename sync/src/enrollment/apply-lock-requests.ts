import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { type EnrollmentRound, inAppTransaction } from './enrollment-round.ts';
import { findLockRequest, type LockStage, type LockState } from './lock-requests.ts';
import { readSessionUser, type SessionUser } from './read-journey-users.ts';
import { skipRejected } from './run-requests.ts';
import { type LockColumn, readLockRequests, readLockState, saveLockStages, saveSeenLocks } from './user-locks.store.ts';

/** Journey's users, as far as they were read. Requests update them. */
export interface KnownUsers {
  readonly users: Map<string, SessionUser>;
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
  const saveStage = (id: string, stage: LockStage) =>
    inAppTransaction(round, async (db) => {
      await saveLockStages(db, round.stateKey, new Map([[id, stage]]));
      return readLockState(db, stored, id);
    });
  let completed = 0;
  const toName = (id: string, request: string | null) => `The request to ${request} user ${id}`;
  const sorted = round.pending.sortByAttempts(requests, ({ id, ...state }) => toName(id, findLockRequest(state)));
  for (const { id, ...found } of sorted) {
    let state: LockState | null = found;
    for (let request = findLockRequest(found); request !== null; request = state && findLockRequest(state)) {
      const shouldLock = request === 'lock';
      const name = toName(id, request);
      const outcome = await skipRejected(round, name, async () => {
        // A user that Journey does not have yet is locked once it exists there.
        if (known.isComplete && !known.users.has(id)) return null;
        // After a lost response, a flag that is changed again must not count as the agreed one.
        if (state?.stage === 'locked') await saveStage(id, 'unlocking');
        else if (state?.stage === 'unlocked') await saveStage(id, 'requested');
        return setLocked(round, id, shouldLock);
      });
      if (outcome === null) break;
      if (known.users.has(id)) known.users.set(id, outcome.user);
      if (outcome.hasChanged) {
        round.log('INFO', `User ${id} was ${request}ed in Journey.`);
        completed += 1;
      }
      state = await saveStage(id, shouldLock ? 'locked' : 'unlocked');
    }
  }
  return completed;
}

/**
 * Also signs a locked user out everywhere, whether or not Journey has done so. Throws
 * JourneyProblem while a session may still be signed in: then the lock stays requested, and is
 * completed later.
 */
async function setLocked(
  round: EnrollmentRound,
  id: string,
  lock: boolean,
): Promise<{ readonly user: SessionUser; readonly hasChanged: boolean }> {
  const { client, signal } = round;
  const before = await readSessionUser(round, id);
  if (!lock) {
    if (before.locked === false) return { user: before, hasChanged: false };
    await client.unlockUser(id, { signal });
    return { user: await readAfterwards(round, { ...before, locked: false }), hasChanged: true };
  }
  if (!before.locked) await client.lockUser(id, { signal });
  const locked = before.locked ? before : await readSessionUser(round, id);
  // A session whose state is not known may be signed in.
  const signedIn = locked.sessions.filter((session) => isSignedIn(session) || session.state === null);
  let failure: unknown;
  for (const session of signedIn) {
    await client.reAuthenticate(id, session.id, { signal }).catch((error: unknown) => {
      failure ??= error;
    });
  }
  if (failure !== undefined) throw failure;
  const sessions = locked.sessions.map((session) =>
    signedIn.includes(session) ? { ...session, state: 'LOCKED' } : session,
  );
  const user = signedIn.length === 0 ? locked : await readAfterwards(round, { ...locked, sessions });
  const left = user.sessions.filter(isSignedIn).length;
  if (left > 0)
    throw new JourneyProblem(`Journey still shows ${left} sessions of the locked user as signed in.`, {
      kind: 'unexpected-response',
    });
  return { user, hasChanged: !before.locked || signedIn.length > 0 };
}

function isSignedIn({ state }: { readonly state: string | null }): boolean {
  return state === 'ENROLLED';
}

/**
 * Reads a user after a call that succeeded. When that fails, returns what the call is known to have
 * changed: the next list shows the rest.
 */
export async function readAfterwards(round: EnrollmentRound, expected: SessionUser): Promise<SessionUser> {
  try {
    return await readSessionUser(round, expected.id);
  } catch (error) {
    if (!(error instanceof JourneyProblem)) throw error;
    return expected;
  }
}
