/** One round of enrollment; when rounds are due is the caller's. */
import { Invalid } from '@portal/kit/problems';
import { checkEnrollment } from './check-enrollment.ts';
import type { EnrollmentOutcome, EnrollmentRound } from './enrollment-round.ts';
import { runSessionMode } from './run-session-mode.ts';
import { runUserMode } from './run-user-mode.ts';

/**
 * First what was asked for in Helium, where Helium-to-Journey is enabled, then what Journey says of
 * users and devices. Repeating a round is harmless, whole or cut short at any point. Throws Invalid
 * when objects or attributes are not (any more) as the configuration names them or PostgreSQL
 * refuses their values, Unreachable when others hold the rows, a `JourneyProblem` when Journey is
 * in trouble; what was done until then stays done.
 */
export async function runEnrollment(round: EnrollmentRound): Promise<EnrollmentOutcome> {
  const [problem] = checkEnrollment({ ...round.enrollment, enabled: true }, round.catalog, null);
  if (problem !== undefined) throw new Invalid(`${problem.field}: ${problem.reason}`);
  const { enrollment } = round;
  const outcome = await (enrollment.type === 'user'
    ? runUserMode({ ...round, enrollment })
    : runSessionMode({ ...round, enrollment }));
  const { users, rows } = outcome;
  round.log('INFO', `Enrollment: ${users} users seen, ${rows} rows written.`);
  return outcome;
}
