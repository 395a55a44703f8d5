/**
 * Decides which side wins when Helium and Journey disagree whether a user is locked. Either side
 * may change, so the state they last agreed on is saved. The side that differs from it is the one
 * that changed.
 *
 *   Helium's flag differs from the agreed state → a request to Journey, and then both agree
 *   otherwise                                   → Helium's flag shows Journey's state
 *
 * A lock is executed even if it was withdrawn in the meantime, because it signs the user out
 * everywhere: a lock that was seen is saved as requested, and the unlock follows it.
 *
 * Before the first agreement, a user counts as not locked. So a user who is locked in Helium from
 * the start becomes locked in Journey, and one who is locked only in Journey stays locked: an
 * unknown agreement never unlocks anyone. While Helium-to-Journey sync is off, requests wait and
 * their flags stay set.
 */

/**
 * What both sides last agreed on.
 *
 * - requested: unlocked. Helium's flag was set since then, and Journey has not locked the user yet
 * - unlocking: locked. Journey may have unlocked the user since then, because Helium requested it
 */
export type LockStage = 'unlocked' | 'requested' | 'locked' | 'unlocking';

export interface LockState {
  /** Helium's flag; null when it is not set. */
  readonly helium: boolean | null;
  readonly stage: LockStage;
}

/** Returns the next request from Helium to Journey, or null. Another one may follow it. */
export function findLockRequest({ helium, stage }: LockState): 'lock' | 'unlock' | null {
  if (stage === 'requested') return 'lock';
  if (stage === 'unlocking') return helium === true ? 'lock' : 'unlock';
  if (helium === null || helium === (stage === 'locked')) return null;
  return helium ? 'lock' : 'unlock';
}

/**
 * Returns the value to show in Helium's flag, null for no change, and the stage from then on. A
 * request that was not executed stays.
 */
export function settleLock(
  state: LockState,
  journey: boolean,
): { readonly show: boolean | null; readonly stage: LockStage } {
  const isWithdrawn = state.stage === 'requested' && state.helium !== true;
  const agreed = journey ? 'locked' : 'unlocked';
  if (state.helium === journey && !isWithdrawn) return { show: null, stage: agreed };
  if (findLockRequest(state) !== null) return { show: null, stage: state.stage };
  return { show: journey, stage: agreed };
}
