import type { JourneyUser } from '@portal/platforms/journey/user-wire';
import type { EnrollmentRound } from './enrollment-round.ts';
import type { UserSession } from './session-mode.ts';

/**
 * Warns of what Journey's list of users does not say. It is not known, so what Helium shows of it
 * stays as it is.
 */
export function warnOfUnknownFlag(
  round: EnrollmentRound,
  flag: 'enrolled' | 'locked',
  users: readonly JourneyUser[],
): void {
  warn(
    round,
    `whether a user is ${flag}`,
    users.filter((user) => user[flag] === null).map(({ id }) => `user ${id}`),
  );
}

/** The same for the states of sessions. */
export function warnOfUnknownStates(round: EnrollmentRound, sessions: readonly UserSession[]): void {
  warn(
    round,
    'the state of a session',
    sessions.filter(({ session }) => session.state === null).map(({ session }) => `session ${session.id}`),
  );
}

function warn({ log, warnings }: EnrollmentRound, what: string, [first, ...others]: readonly string[]): void {
  if (first === undefined) return;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const text = `Journey does not report ${what}: ${first}${more}. What Helium shows of it stays as it is.`;
  warnings.warn(log, what, text);
}
