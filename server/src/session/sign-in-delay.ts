import type { Config } from '../config.ts';

const maxDelaySeconds = 30;

/** Failed sign-ins that affect an attempt, within the time window. */
export interface Failures {
  /** Failures of the user from this address, or from this browser if it signed in before. */
  readonly ofUser: number;
  /** Seconds since the last of them. */
  readonly secondsAgo: number;
  /** Failures of all users from this address; none for a browser that signed in before. */
  readonly ofAddress: number;
}

/**
 * Returns how many seconds a user has to wait after the last failure before the next attempt: at
 * most 30. The delay begins at `failuresPerUser` failures with one second and doubles with each
 * further failure. From an address with `failuresPerAddress` failures, it begins at the first
 * failure of the user. Failures of other users never delay a user who has none.
 */
export function getDelaySeconds(
  { ofUser, ofAddress }: Pick<Failures, 'ofUser' | 'ofAddress'>,
  limits: Pick<Config['signIn'], 'failuresPerUser' | 'failuresPerAddress'>,
): number {
  const firstDelayed = ofAddress >= limits.failuresPerAddress ? 1 : limits.failuresPerUser;
  return ofUser < firstDelayed ? 0 : Math.min(2 ** (ofUser - firstDelayed), maxDelaySeconds);
}
