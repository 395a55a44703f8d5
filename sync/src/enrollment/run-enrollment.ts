/** Runs one round of enrollment; the caller decides when. */
import { Invalid } from '@portal/kit/problems';
import { checkEnrollment } from './check-enrollment.ts';
import type { EnrollmentOutcome, EnrollmentRound } from './enrollment-round.ts';
import { runSessionMode } from './run-session-mode.ts';
import { runUserMode } from './run-user-mode.ts';

/**
 * Carries out Helium's requests first, where Helium-to-Journey is enabled, then writes what Journey
 * reports of users and devices. A round may be stopped at any point and repeated. Throws Invalid
 * when objects or attributes no longer match the configuration or PostgreSQL refuses their values,
 * Unreachable when others lock the rows, a `JourneyProblem` when Journey fails; what was done until
 * then stays done.
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
