import type { HeliumDatabase } from '../database.ts';
import { AccessFailure } from './access-failure.ts';
import type { Asked } from './app-role.ts';
import { listed } from './grant-checks.ts';
import { readAclDefaults, readSchemaState } from './read-schema-state.ts';
import { keyOf, planRevert, type RevertFacts, type RevertPlan } from './revert-plan.ts';
import { type Ran, type RunOptions, runSteps } from './run-steps.ts';
import type { SchemaState } from './schema-state.ts';

export interface RevertRequest extends Omit<RunOptions<RevertAccessPlan>, 'schemaName'> {
  /** What a grant stored: how it was before. */
  readonly before: SchemaState;
  /** The team it was granted to. */
  readonly team: string;
  /** Looks at the plan before anything runs; what it throws ends the revert. */
  readonly check?: (plan: RevertAccessPlan) => void | Promise<void>;
}

export interface RevertAccessPlan extends RevertPlan {
  /** How it is now. */
  readonly now: SchemaState;
  readonly warnings: readonly string[];
}

/**
 * Owners and privileges become what they were before a grant. All or nothing. Throws as
 * `grantAccess` does.
 */
export async function revertAccess(
  database: HeliumDatabase,
  { before, team, check, ...options }: RevertRequest,
): Promise<Ran<RevertAccessPlan>> {
  const { schemaName } = before;
  return runSteps(database, { ...options, schemaName }, async (transaction) => {
    const [schema] = await transaction.query('select from pg_namespace where nspname = $1', [schemaName]);
    if (!schema) throw refusal(`The schema ${schemaName} is gone.`);
    const now = await readSchemaState(transaction, schemaName, before.appRole);
    const { version, roles } = await readRoles(transaction);
    const facts: RevertFacts = {
      version,
      exists: (role) => roles.has(role),
      defaults: await readAclDefaults(transaction),
    };
    const planned = planRevert(before, now, team, facts);
    // What is only written down somebody else may run.
    if (options.mode !== 'plan') checkReceivers(planned.receivers, roles);
    const plan = { ...planned, now, warnings: warningsFor(before, now) };
    await check?.(plan);
    return plan;
  });
}

async function readRoles(asked: Asked): Promise<{ version: number; roles: ReadonlyMap<string, boolean> }> {
  const [server] = await asked.query<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  );
  const version = server?.version ?? 0;
  const acts = version < 160000 ? `pg_has_role(oid, 'MEMBER')` : `pg_has_role(oid, 'SET')`;
  const roles = await asked.query<{ name: string; mayAct: boolean }>(
    `select rolname::text as name, ${acts} as "mayAct" from pg_roles`,
  );
  return { version, roles: new Map(roles.map(({ name, mayAct }) => [name, mayAct])) };
}

/** @param roles by name, whether the portal's user may give something to them */
function checkReceivers(receivers: readonly string[], roles: ReadonlyMap<string, boolean>): void {
  const gone = receivers.filter((role) => !roles.has(role));
  if (gone.length > 0) {
    throw refusal(`What belonged to ${listed(gone)} cannot be given back: that role is gone.`);
  }
  const strangers = receivers.filter((role) => roles.get(role) === false);
  if (strangers.length > 0) {
    throw refusal(
      `The portal's user may not give anything to ${listed(strangers)}. Run the statements as somebody who may: the receipt of the grant has them.`,
    );
  }
}

function refusal(message: string): AccessFailure {
  return new AccessFailure(message, { status: 409 });
}

function warningsFor(before: SchemaState, now: SchemaState): string[] {
  const known = new Set(before.objects.map(keyOf));
  const present = new Set(now.objects.map(keyOf));
  const come = now.objects.filter((object) => !object.follows && !known.has(keyOf(object))).length;
  const gone = before.objects.filter((object) => !object.follows && !present.has(keyOf(object))).length;
  return [
    ...(come > 0
      ? [`${come} ${come === 1 ? 'object has' : 'objects have'} come since; they go to ${before.owner}, too.`]
      : []),
    ...(gone > 0 ? [`${gone} ${gone === 1 ? 'object' : 'objects'} of then ${gone === 1 ? 'is' : 'are'} gone.`] : []),
  ];
}
