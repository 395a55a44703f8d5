import type { JourneyUser } from '@portal/platforms/journey/user-wire';
import { readLockWishes, rememberAgreed } from './agreed-locks.store.ts';
import type { ColumnType } from './cells.ts';
import { type EnrollmentRound, inAppTransaction } from './enrollment-round.ts';
import { lockWishOf } from './lock-requests.ts';
import { orPostpone } from './run-requests.ts';

/**
 * Locks and unlocks in Journey whom Helium wants so, and puts what Journey says of them afterwards into `users`. What was
 * asked is remembered at once: a flag that turns back while the call is under way is a wish of its own. Answers how many.
 */
export async function answerLockWishes(
  round: EnrollmentRound,
  { table, flag }: { readonly table: string; readonly flag: ColumnType },
  users: Map<string, JourneyUser>,
): Promise<number> {
  let carriedOut = 0;
  for (const state of await inAppTransaction(round, (db) =>
    readLockWishes(db, { table, flag, stateKey: round.stateKey }),
  )) {
    const wish = lockWishOf(state);
    const user = users.get(state.id);
    // Whom Journey does not know yet it will lock when it does.
    if (wish === null || user === undefined) continue;
    const isLock = wish === 'lock';
    if (user.locked !== isLock) {
      const name = `The wish to ${wish} user ${state.id}`;
      const after = await orPostpone(round, name, () => turn(round, user, isLock));
      if (after === null) continue;
      users.set(state.id, after);
      round.log('INFO', `User ${state.id} was ${wish}ed in Journey.`);
      carriedOut += 1;
    }
    await inAppTransaction(round, (db) => rememberAgreed(db, round.stateKey, new Map([[state.id, isLock]])));
  }
  return carriedOut;
}

/** Who is locked is signed out everywhere, whether or not Journey has done so by itself. */
async function turn({ client, signal }: EnrollmentRound, { id }: JourneyUser, lock: boolean): Promise<JourneyUser> {
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
