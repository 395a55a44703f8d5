import { createHash } from 'node:crypto';
import type { AccessPlan } from '@portal/contract/schema-access';
import { Conflict, Invalid } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { Step } from '@portal/platforms/helium-database/schema-access/grant-plan';
import type { RunResult } from '@portal/platforms/helium-database/schema-access/run-steps';
import { countKinds, type OwnedObject } from '@portal/platforms/helium-database/schema-access/schema-state';
import type { ServedEnvironment } from '../../platform/environments.ts';

export function getActions({ steps }: { readonly steps: readonly Step[] }): string[] {
  return steps.map(({ sql }) => sql);
}

/** Returns a fingerprint that is equal only for equal actions. */
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

/** Converts a dry run to the contract's plan. */
export function toSummary({ plan, tookMs }: RunResult<SeenPlan>) {
  return {
    actions: getActions(plan),
    counts: countKinds(plan.objects),
    warnings: [...plan.warnings],
    fingerprint: getFingerprint(plan),
    tookMs,
  } satisfies Partial<AccessPlan>;
}

/** Returns the new owner and the number of transferred objects by kind, for the audit trail. */
export function describeResult(owner: string, { objects }: Pick<SeenPlan, 'objects'>) {
  return { owner, objects: Object.fromEntries(countKinds(objects).map(({ kind, count }) => [kind, count])) };
}

/** Throws Conflict if the caller has seen a different plan. */
export function checkExpected(plan: { readonly steps: readonly Step[] }, expected: string | undefined): void {
  if (expected === undefined || expected === getFingerprint(plan)) return;
  throw new Conflict(
    'The schema has changed since you opened it, so different statements would run. Review the new plan and try again.',
  );
}

/** Throws Invalid if the environment has no such team. */
export function checkTeamUser({ name, teamUsers }: ServedEnvironment, team: string): void {
  if (teamUsers.includes(team)) return;
  const known = teamUsers.length > 0 ? `: ${teamUsers.join(', ')}` : '; no teams are configured';
  throw new Invalid(`${shortenValue(team)} is not a team of ${name}${known}.`);
}

/** Returns the complete transaction, for running it manually. */
export function toTransaction(actions: readonly string[], lockTimeoutMs: number): string[] {
  if (actions.length === 0) return [];
  return ['BEGIN;', `SET LOCAL lock_timeout = '${lockTimeoutMs / 1000}s';`, ...actions, 'COMMIT;'];
}
