import { createHash } from 'node:crypto';
import { Conflict, Invalid, Problem } from '@portal/kit/problems';
import { AccessFailure } from '@portal/platforms/helium-database/schema-access/access-failure';
import type { GrantAccessPlan } from '@portal/platforms/helium-database/schema-access/grant-access';
import type { Step } from '@portal/platforms/helium-database/schema-access/grant-plan';
import type { ServedEnvironment } from '../../environments.ts';
import { FailedActions } from '../../problems.ts';

export function actionsOf({ steps }: { readonly steps: readonly Step[] }): string[] {
  return steps.map(({ sql }) => sql);
}

/** The same for the same actions, and for no others. */
export function fingerprintOf(plan: { readonly steps: readonly Step[] }): string {
  return createHash('sha256')
    .update(JSON.stringify(actionsOf(plan)))
    .digest('hex');
}

/** Throws Conflict when the caller has seen another plan. */
export function checkExpected(plan: { readonly steps: readonly Step[] }, expected: string | undefined): void {
  if (expected === undefined || expected === fingerprintOf(plan)) return;
  throw new Conflict('The schema has changed since you looked, so other statements would run. Look again and decide.');
}

/** Throws Invalid when it is none of the teams the environment names. */
export function checkTeamUser({ name, teamUsers }: ServedEnvironment, team: string): void {
  if (teamUsers.includes(team)) return;
  const known = teamUsers.length > 0 ? `: ${teamUsers.join(', ')}` : '; none is configured';
  throw new Invalid(`${team} is not one of the teams a schema may be given to in ${name}${known}.`);
}

/** What failed, under its title, with the actions it consisted of. A bug passes as it is. */
export function titled(problem: unknown, title: string): unknown {
  if (!(problem instanceof Problem)) return problem;
  const { message, status } = problem;
  const actions = problem instanceof AccessFailure ? problem.actions : [];
  return new FailedActions(message, { title, status, actions, cause: problem.cause ?? problem });
}

/** The whole transaction, to be run by hand. */
export function transactionOf(plan: GrantAccessPlan, lockTimeoutMs: number): string[] {
  if (plan.steps.length === 0) return [];
  return ['BEGIN;', `SET LOCAL lock_timeout = '${lockTimeoutMs / 1000}s';`, ...actionsOf(plan), 'COMMIT;'];
}
