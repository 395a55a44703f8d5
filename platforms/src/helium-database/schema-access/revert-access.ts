import { FailedActions } from '@portal/kit/problems';
import type { HeliumDatabase } from '../database.ts';
import type { Queryable } from './app-role.ts';
import { joinList } from './grant-checks.ts';
import { readAclDefaults, readSchemaState } from './read-schema-state.ts';
import { getObjectKey, planRevert, type RevertFacts, type RevertPlan } from './revert-plan.ts';
import { type RunOptions, type RunResult, runSteps } from './run-steps.ts';
import type { SchemaState } from './schema-state.ts';

export interface RevertRequest extends Omit<RunOptions<RevertAccessPlan>, 'schemaName'> {
  /** The state that a grant stored before it changed anything. */
  readonly before: SchemaState;
  /** The team that received the grant. */
  readonly team: string;
  /** Checks the plan before anything runs; an error cancels the revert. */
  readonly check?: (plan: RevertAccessPlan) => void | Promise<void>;
}

export interface RevertAccessPlan extends RevertPlan {
  /** The current state. */
  readonly now: SchemaState;
  readonly warnings: readonly string[];
}

/**
 * Restores the owners and privileges from before a grant, in one transaction. Throws as
 * `grantAccess` does.
 */
export async function revertAccess(
  database: HeliumDatabase,
  { before, team, check, ...options }: RevertRequest,
): Promise<RunResult<RevertAccessPlan>> {
  const { schemaName } = before;
  return runSteps(database, { ...options, schemaName }, async (transaction) => {
    const [schema] = await transaction.query('select from pg_namespace where nspname = $1', [schemaName]);
    if (!schema) throw refusal(`The schema ${schemaName} no longer exists.`);
    const now = await readSchemaState(transaction, schemaName, before.appRole);
    const { version, roles } = await readRoles(transaction);
    const facts: RevertFacts = {
      version,
      exists: (role) => roles.has(role),
      defaults: await readAclDefaults(transaction),
    };
    const planned = planRevert(before, now, team, facts);
    // A plan that is only written down may be run by another user.
    if (options.mode !== 'plan') checkReceivers(planned.receivers, roles);
    const plan = { ...planned, now, warnings: warningsFor(before, now) };
    await check?.(plan);
    return plan;
  });
}

async function readRoles(queryable: Queryable): Promise<{ version: number; roles: ReadonlyMap<string, boolean> }> {
  const [server] = await queryable.query<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  );
  const version = server?.version ?? 0;
  const canActExpression = version < 160000 ? `pg_has_role(oid, 'MEMBER')` : `pg_has_role(oid, 'SET')`;
  const roles = await queryable.query<{ name: string; canActAs: boolean }>(
    `select rolname::text as name, ${canActExpression} as "canActAs" from pg_roles`,
  );
  return { version, roles: new Map(roles.map(({ name, canActAs }) => [name, canActAs])) };
}

/** @param roles by name, whether the portal's user can transfer objects to the role */
function checkReceivers(receivers: readonly string[], roles: ReadonlyMap<string, boolean>): void {
  const missing = receivers.filter((role) => !roles.has(role));
  if (missing.length > 0) {
    throw refusal(`Objects of ${joinList(missing)} cannot be returned because that role no longer exists.`);
  }
  const inaccessibleRoles = receivers.filter((role) => roles.get(role) === false);
  if (inaccessibleRoles.length > 0) {
    throw refusal(
      `The portal's user cannot transfer objects to ${joinList(inaccessibleRoles)}. Run the statements from the grant's receipt as a user who can.`,
    );
  }
}

function refusal(message: string): FailedActions {
  return new FailedActions(message, { status: 409 });
}

function warningsFor(before: SchemaState, now: SchemaState): string[] {
  const known = new Set(before.objects.map(getObjectKey));
  const present = new Set(now.objects.map(getObjectKey));
  const added = now.objects.filter((object) => !object.follows && !known.has(getObjectKey(object))).length;
  const missing = before.objects.filter((object) => !object.follows && !present.has(getObjectKey(object))).length;
  return [
    ...(added > 0
      ? [
          `${added} ${added === 1 ? 'object was' : 'objects were'} created since the grant and will belong to ${before.owner} too.`,
        ]
      : []),
    ...(missing > 0
      ? [
          `${missing} ${missing === 1 ? 'object' : 'objects'} from before the grant ${missing === 1 ? 'no longer exists' : 'no longer exist'}.`,
        ]
      : []),
  ];
}
