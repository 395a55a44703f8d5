/** Runs one round of enrollment. The caller schedules it. */
import { Invalid } from '@portal/kit/problems';
import { checkEnrollment } from './check-enrollment.ts';
import type { EnrollmentOutcome, EnrollmentRound } from './enrollment-round.ts';
import { runSessionMode, runSessionRequests } from './run-session-mode.ts';
import { runUserMode, runUserRequests } from './run-user-mode.ts';

/**
 * Executes Helium's requests first if Helium-to-Journey is enabled, then writes what Journey
 * reports about users and devices. A row that PostgreSQL refuses is left as it is, and logged. A
 * round may be stopped at any point and repeated. Throws Invalid when objects or attributes no
 * longer match the configuration, Unreachable when Journey's list is not whole or other
 * transactions lock a table, and `JourneyProblem` when Journey fails. Work done before a failure
 * stays done.
 */
export async function runEnrollment(round: EnrollmentRound): Promise<EnrollmentOutcome> {
  checkRound(round);
  const { enrollment, warnings } = round;
  warnings.startRound();
  const outcome = await (enrollment.type === 'user'
    ? runUserMode({ ...round, enrollment })
    : runSessionMode({ ...round, enrollment }));
  const waiting = warnings.endRound();
  const { users, rows } = outcome;
  round.log('INFO', `Enrollment: read ${users} users, wrote ${rows} rows${waiting > 0 ? `, ${waiting} wait` : ''}.`);
  return { ...outcome, waiting };
}

/**
 * Executes Helium's requests only, without reading Journey's users. Throws like `runEnrollment`.
 * Returns how many were executed.
 */
export async function runEnrollmentRequests(round: EnrollmentRound): Promise<number> {
  checkRound(round);
  const { enrollment } = round;
  return enrollment.type === 'user'
    ? runUserRequests({ ...round, enrollment })
    : runSessionRequests({ ...round, enrollment });
}

function checkRound({ enrollment, catalog }: EnrollmentRound): void {
  const [problem] = checkEnrollment({ ...enrollment, enabled: true }, catalog, null);
  if (problem !== undefined) throw new Invalid(`${problem.field}: ${problem.reason}`);
}
