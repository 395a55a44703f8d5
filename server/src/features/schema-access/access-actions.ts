import { createHash } from 'node:crypto';
import type { AccessPlan } from '@portal/contract/schema-access';
import { Conflict, Invalid, Problem } from '@portal/kit/problems';
import { AccessFailure } from '@portal/platforms/helium-database/schema-access/access-failure';
import type { GrantAccessPlan } from '@portal/platforms/helium-database/schema-access/grant-access';
import type { Step } from '@portal/platforms/helium-database/schema-access/grant-plan';
import type { Ran } from '@portal/platforms/helium-database/schema-access/run-steps';
import { countKinds, type OwnedObject } from '@portal/platforms/helium-database/schema-access/schema-state';
import { FailedActions } from '../../http/problems.ts';
import type { ServedEnvironment } from '../../platform/environments.ts';

export function getActions({ steps }: { readonly steps: readonly Step[] }): string[] {
  return steps.map(({ sql }) => sql);
}

/** The same for the same actions, and for no others. */
function getFingerprint(plan: { readonly steps: readonly Step[] }): string {
  return createHash('sha256')
    .update(JSON.stringify(getActions(plan)))
    .digest('hex');
}

interface SeenPlan {
  readonly steps: readonly Step[];
  readonly objects: readonly OwnedObject[];
  readonly warnings: readonly string[];
}

/** What a dry run showed, as the contract tells it. */
export function toSummary({ plan, tookMs }: Ran<SeenPlan>) {
  return {
    actions: getActions(plan),
    counts: countKinds(plan.objects),
    warnings: [...plan.warnings],
    fingerprint: getFingerprint(plan),
    tookMs,
  } satisfies Partial<AccessPlan>;
}

/**
 * For the audit trail: whose the schema is then, and how many objects of each kind changed hands.
 */
export function describeResult(owner: string, { objects }: Pick<SeenPlan, 'objects'>) {
  return { owner, objects: Object.fromEntries(countKinds(objects).map(({ kind, count }) => [kind, count])) };
}

/** Throws Conflict when the caller has seen another plan. */
export function checkExpected(plan: { readonly steps: readonly Step[] }, expected: string | undefined): void {
  if (expected === undefined || expected === getFingerprint(plan)) return;
  throw new Conflict('The schema has changed since you looked, so other statements would run. Look again and decide.');
}

/** Throws Invalid when it is none of the teams the environment names. */
export function checkTeamUser({ name, teamUsers }: ServedEnvironment, team: string): void {
  if (teamUsers.includes(team)) return;
  const known = teamUsers.length > 0 ? `: ${teamUsers.join(', ')}` : '; none is configured';
  throw new Invalid(`${team} is not one of the teams a schema may be given to in ${name}${known}.`);
}

/** What failed, under its title, with the actions it consisted of. A bug passes as it is. */
export function withTitle(problem: unknown, title: string): unknown {
  if (!(problem instanceof Problem)) return problem;
  const { message, status } = problem;
  const actions = problem instanceof AccessFailure ? problem.actions : [];
  return new FailedActions(message, { title, status, actions, cause: problem.cause ?? problem });
}

/** The whole transaction, to be run by hand. */
export function toTransaction(plan: GrantAccessPlan, lockTimeoutMs: number): string[] {
  if (plan.steps.length === 0) return [];
  return ['BEGIN;', `SET LOCAL lock_timeout = '${lockTimeoutMs / 1000}s';`, ...getActions(plan), 'COMMIT;'];
}
