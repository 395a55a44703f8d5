import type { HeliumDatabase } from '../database.ts';
import { type AppRoleHints, findAppRole } from './app-role.ts';
import { checkPortalUser, checkTeam } from './grant-checks.ts';
import { grantFacts, readRoleFacts } from './grant-facts.ts';
import { type GrantPlan, planGrant, splitMemberships } from './grant-plan.ts';
import { readGrantWarnings } from './grant-warnings.ts';
import { readAclDefaults, readSchemaState } from './read-schema-state.ts';
import { type RunOptions, type RunResult, runSteps } from './run-steps.ts';
import type { SchemaState } from './schema-state.ts';

export interface GrantRequest extends AppRoleHints, RunOptions<GrantAccessPlan> {
  readonly team: string;
  /** Checks the plan before anything runs; an error cancels the grant. */
  readonly check?: (plan: GrantAccessPlan) => void | Promise<void>;
}

export interface GrantAccessPlan extends GrantPlan {
  /** The state before the grant, which a later revert needs. */
  readonly before: SchemaState;
  readonly team: string;
  /** The team that had the schema before; null when there was none. */
  readonly formerTeam: string | null;
  readonly warnings: readonly string[];
}

/**
 * Makes a team the owner of a schema and of everything in it. The app's own role becomes a member
 * of the team, so the app keeps working. Everything happens in one transaction; running it again
 * only affects new objects. Throws FailedActions, NotFound, Conflict, or Unreachable with the
 * reason.
 */
export async function grantAccess(
  database: HeliumDatabase,
  { team, teams, recorded, check, ...options }: GrantRequest,
): Promise<RunResult<GrantAccessPlan>> {
  const { schemaName, mode } = options;
  const [portal] = await database.query<{ role: string }>('select current_user::text as role');
  return runSteps(database, options, async (transaction) => {
    const { appRole, owner } = await findAppRole(transaction, schemaName, { teams, recorded });
    const before = await readSchemaState(transaction, schemaName, appRole);
    const roles = await readRoleFacts(transaction, before, team);
    const facts = grantFacts(roles, await readAclDefaults(transaction));
    const formerTeam = owner !== team && teams.includes(owner) ? owner : null;
    const planned = planGrant(before, { team, formerTeam }, facts);
    checkTeam(before, team, roles);
    // A plan that is only written down may be run by another user.
    if (mode !== 'plan' && planned.steps.length > 0) {
      checkPortalUser(before, { team, membershipWanted: planned.grantsMembership }, roles);
    }
    const remainingMemberships = formerTeam === null ? [] : splitMemberships(formerTeam, before, facts).others;
    const warnings = await readGrantWarnings(transaction, before, {
      team,
      facts: roles,
      remainingMemberships,
      reader: portal?.role ?? null,
    });
    const plan = { ...planned, before, team, formerTeam, warnings };
    await check?.(plan);
    return plan;
  });
}
