/**
 * Decides which side wins when Helium and Journey disagree whether a user is locked. Either side
 * may change, so what both last agreed on is saved: the side that differs from it is the one that
 * was changed.
 *
 *   Helium's flag differs from what was agreed → a request to Journey, and then both agree
 *   otherwise                                  → Helium's flag shows Journey's state
 *
 * Before the first agreement a user counts as not locked. So a user who is locked from the start in
 * Helium becomes locked in Journey, and one who is locked only in Journey stays locked: no one is
 * let in because the agreement is unknown. While Helium-to-Journey sync is off, requests wait with
 * their flag as it was set.
 */
export interface LockState {
  /** Helium's flag; null when it is not set. */
  readonly helium: boolean | null;
  /** What both agreed on last. */
  readonly agreed: boolean;
}

/** Returns what Helium requests of Journey, or null. */
export function findLockRequest({ helium, agreed }: LockState): 'lock' | 'unlock' | null {
  if (helium === null || helium === agreed) return null;
  return helium ? 'lock' : 'unlock';
}

/** Returns what Helium's flag has to show, null for no change, and what both agree on from here. */
export function settleLock(
  state: LockState,
  journey: boolean,
): { readonly show: boolean | null; readonly agreed: boolean } {
  if (state.helium === journey) return { show: null, agreed: journey };
  if (findLockRequest(state) !== null) return { show: null, agreed: state.agreed };
  return { show: journey, agreed: journey };
}
