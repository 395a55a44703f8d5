/** Decides whether a call that signs a user out has taken effect although its response was lost. */
import type { JourneyEnrollment, JourneySession } from '@portal/platforms/journey/user-wire';

/** A device of a user, as Journey showed it at some moment. */
export interface SignIn {
  readonly id: string;
  readonly isSignedIn: boolean;
  readonly signedOutAt: string | null;
}

export function toSignIn({ id, state, signed_out_at }: JourneySession): SignIn {
  return { id, isSignedIn: state === 'ENROLLED', signedOutAt: signed_out_at };
}

const enrollmentId = 'enrollment';

/** For a deployment that shows no sessions: without a time, a new sign-in hides the sign-out. */
export function toEnrollmentSignIn(enrollment: JourneyEnrollment | undefined): SignIn {
  return { id: enrollmentId, isSignedIn: enrollment?.enrolled === true, signedOutAt: null };
}

/**
 * Returns whether everything that was signed in before the call has been signed out since then. If
 * nothing was, a later sign-in shows that the user has acted. When in doubt, returns false: a
 * requested sign-out must happen.
 */
export function hasTakenEffect(before: readonly SignIn[], now: readonly SignIn[]): boolean {
  const isEnrollment = (all: readonly SignIn[]) => all.some(({ id }) => id === enrollmentId);
  if (isEnrollment(before) !== isEnrollment(now)) return false;
  const signedIn = before.filter((one) => one.isSignedIn);
  if (signedIn.length === 0) return now.some((one) => one.isSignedIn);
  return signedIn.every((one) => {
    const same = now.find(({ id }) => id === one.id);
    return same === undefined || !same.isSignedIn || same.signedOutAt !== one.signedOutAt;
  });
}
