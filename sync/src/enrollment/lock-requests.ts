/**
 * Decides which side wins when Helium and Journey disagree whether a user is locked. Either side
 * may change, so the state they last agreed on is saved. The side that differs from it is the one
 * that changed.
 *
 *   Helium's flag differs from the agreed state → a request to Journey, and then both agree
 *   otherwise                                   → Helium's flag shows Journey's state
 *
 * Before the first agreement, a user counts as not locked. So a user who is locked in Helium from
 * the start becomes locked in Journey, and one who is locked only in Journey stays locked: an
 * unknown agreement never unlocks anyone. While Helium-to-Journey sync is off, requests wait and
 * their flags stay set.
 */
export interface LockState {
  /** Helium's flag; null when it is not set. */
  readonly helium: boolean | null;
  /** The state both sides last agreed on. */
  readonly agreed: boolean;
}

/** Returns the request from Helium to Journey, or null. */
export function findLockRequest({ helium, agreed }: LockState): 'lock' | 'unlock' | null {
  if (helium === null || helium === agreed) return null;
  return helium ? 'lock' : 'unlock';
}

/**
 * Returns the value to show in Helium's flag, null for no change, and the state both agree on from
 * then on.
 */
export function settleLock(
  state: LockState,
  journey: boolean,
): { readonly show: boolean | null; readonly agreed: boolean } {
  if (state.helium === journey) return { show: null, agreed: journey };
  if (findLockRequest(state) !== null) return { show: null, agreed: state.agreed };
  return { show: journey, agreed: journey };
}
