/**
 * Who leads when Helium and Journey disagree whether a user is locked. Each side may be changed, so what both agreed on
 * last is remembered: the side that says something else now is the one that was changed.
 *
 *   Helium's flag differs from what was agreed → a wish: Journey is asked to lock or unlock, and then both agree
 *   otherwise                                 → Journey's word is shown in Helium's flag
 *
 * Before the first agreement a user counts as not locked. So a user who is locked from the start in Helium becomes
 * locked in Journey, and one who is locked in Journey alone stays so: nobody is let in for want of memory. While
 * Helium-to-Journey sync is off wishes wait, with their flag as it was set.
 */
export interface LockState {
  /** Helium's flag; null when it says nothing. */
  readonly helium: boolean | null;
  /** What both agreed on last. */
  readonly agreed: boolean;
}

/** What Journey is to be asked for, or null. */
export function lockWishOf({ helium, agreed }: LockState): 'lock' | 'unlock' | null {
  if (helium === null || helium === agreed) return null;
  return helium ? 'lock' : 'unlock';
}

/** What Helium's flag is to say now, null for no change, and what both agree on from here. */
export function settleLock(
  state: LockState,
  journey: boolean,
): { readonly show: boolean | null; readonly agreed: boolean } {
  if (state.helium === journey) return { show: null, agreed: journey };
  if (lockWishOf(state) !== null) return { show: null, agreed: state.agreed };
  return { show: journey, agreed: journey };
}
