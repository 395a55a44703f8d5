import type { HeliumDatabase } from '../database.ts';
import { type AppRoleHints, findAppRole } from './app-role.ts';
import { checkPortalUser, checkTeam } from './grant-checks.ts';
import { grantFacts, readRoleFacts } from './grant-facts.ts';
import { type GrantPlan, membershipsIn, planGrant } from './grant-plan.ts';
import { readGrantWarnings } from './grant-warnings.ts';
import { readAclDefaults, readSchemaState } from './read-schema-state.ts';
import { type Ran, type RunOptions, runSteps } from './run-steps.ts';
import type { SchemaState } from './schema-state.ts';

export interface GrantRequest extends AppRoleHints, RunOptions<GrantAccessPlan> {
  readonly team: string;
  /** Looks at the plan before anything runs; what it throws ends the grant. */
  readonly check?: (plan: GrantAccessPlan) => void | Promise<void>;
}

export interface GrantAccessPlan extends GrantPlan {
  /** How it was before: all that a later revert needs. */
  readonly before: SchemaState;
  readonly team: string;
  /** The team that had the schema; null when none had. */
  readonly formerTeam: string | null;
  readonly warnings: readonly string[];
}

/**
 * Makes a team the owner of a schema and of all that is in it, while the app's own role goes on
 * working as a member of the team. All or nothing; a second time only what is new changes hands.
 * Throws AccessFailure, NotFound, Conflict or Unreachable with the reason.
 */
export async function grantAccess(
  database: HeliumDatabase,
  { team, teams, recorded, check, ...options }: GrantRequest,
): Promise<Ran<GrantAccessPlan>> {
  const { schemaName, mode } = options;
  return runSteps(database, options, async (transaction) => {
    const { appRole, owner } = await findAppRole(transaction, schemaName, { teams, recorded });
    const before = await readSchemaState(transaction, schemaName, appRole);
    const roles = await readRoleFacts(transaction, before, team);
    const facts = grantFacts(roles, await readAclDefaults(transaction));
    const formerTeam = owner !== team && teams.includes(owner) ? owner : null;
    const planned = planGrant(before, { team, formerTeam }, facts);
    checkTeam(before, team, roles);
    // What is only written down somebody else may run.
    if (mode !== 'plan' && planned.steps.length > 0) {
      checkPortalUser(before, { team, membershipWanted: planned.grantsMembership }, roles);
    }
    const stayingIn = formerTeam === null ? [] : membershipsIn(formerTeam, before, facts).others;
    const warnings = await readGrantWarnings(transaction, before, { team, facts: roles, stayingIn });
    const plan = { ...planned, before, team, formerTeam, warnings };
    await check?.(plan);
    return plan;
  });
}
