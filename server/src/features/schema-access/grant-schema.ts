import type { AccessActions, AccessPlan } from '@portal/contract/schema-access';
import { type GrantAccessPlan, grantAccess } from '@portal/platforms/helium-database/schema-access/grant-access';
import { defaultLockTimeoutMs } from '@portal/platforms/helium-database/schema-access/run-steps';
import { countKinds } from '@portal/platforms/helium-database/schema-access/schema-state';
import { outcomeOf } from '../../audit/audit-trail.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';
import {
  actionsOf,
  afterwards,
  checkExpected,
  checkTeamUser,
  summaryOf,
  titled,
  transactionOf,
} from './access-acts.ts';
import { addRunning, readRecord } from './access-grants.store.ts';
import { settleOpen } from './open-grants.ts';
import { type Recorded, recorded } from './recorded.ts';
import { type LocatedSchema, locateSchema, type SchemaHint } from './schema-places.ts';

export interface GrantWish extends SchemaHint {
  readonly teamUser: string;
}

const failedToGrant = 'Failed to grant access!';

/** What granting would do, from a dry run. Throws FailedActions. */
export async function planGrantOf(dependencies: Dependencies, caller: Caller, wish: GrantWish): Promise<AccessPlan> {
  await dependencies.permissions.require(caller, 'schema-access.grant', wish.appId ?? null);
  try {
    const { schema, hints } = await prepare(dependencies, caller, wish);
    const { dataSource, schemaName } = schema.place;
    const ran = await grantAccess(schema.database, { ...hints, schemaName, team: wish.teamUser, mode: 'dry-run' });
    return {
      ...summaryOf(ran),
      dataSource,
      schemaName,
      owner: ran.plan.before.owner,
      newOwner: wish.teamUser,
      appRole: ran.plan.before.appRole,
    };
  } catch (error) {
    throw titled(error, failedToGrant);
  }
}

/** The SQL of a grant, without running anything. Throws FailedActions. */
export async function generateGrantSql(
  dependencies: Dependencies,
  caller: Caller,
  wish: GrantWish,
): Promise<AccessActions> {
  await dependencies.permissions.require(caller, 'schema-access.view');
  try {
    const { schema, hints } = await prepare(dependencies, caller, wish);
    const { schemaName } = schema.place;
    const { plan } = await grantAccess(schema.database, { ...hints, schemaName, team: wish.teamUser, mode: 'plan' });
    return { actions: transactionOf(plan, defaultLockTimeoutMs) };
  } catch (error) {
    throw titled(error, 'Failed to generated SQL!');
  }
}

export interface GrantOrder extends GrantWish {
  readonly reason?: string | undefined;
  readonly expected?: string | undefined;
}

/** Prepares, runs and audits a grant; a failed one is audited too. Throws FailedActions. */
export async function grantSchema(
  dependencies: Dependencies,
  caller: Caller,
  order: GrantOrder,
): Promise<AccessActions> {
  await dependencies.permissions.require(caller, 'schema-access.grant', order.appId ?? null);
  let prepared: PreparedGrant | undefined;
  try {
    prepared = await prepare(dependencies, caller, order);
    const { plan, id: grantId } = await runRecorded(dependencies, caller, order, prepared);
    await auditGrant(dependencies, caller, order, prepared.schema, plan);
    return { actions: actionsOf(plan), ...(grantId !== undefined && { grantId }) };
  } catch (error) {
    await auditFailure(dependencies, caller, order, prepared?.schema, error);
    throw titled(error, failedToGrant);
  }
}

/** Grants, with the record written before the data source commits. */
function runRecorded(
  dependencies: Dependencies,
  caller: Caller,
  { teamUser: team, reason, expected }: GrantOrder,
  { schema, hints }: PreparedGrant,
): Promise<Recorded<GrantAccessPlan>> {
  const { app, database, place } = schema;
  const origin = { appId: app.id, appName: app.name, grantedBy: caller.username, reason: reason ?? null };
  const check = (plan: GrantAccessPlan) => checkExpected(plan, expected);
  return recorded<GrantAccessPlan>(dependencies, schema, {
    state: 'running',
    write: ({ xid, plan }) => addRunning(dependencies.pool, { ...place, ...recordOf(plan), ...origin, xid }),
    run: (beforeCommit) =>
      grantAccess(database, { ...hints, schemaName: place.schemaName, team, mode: 'run', check, beforeCommit }),
  });
}

function auditGrant(
  { audit }: Dependencies,
  caller: Caller,
  { teamUser: team, reason }: GrantOrder,
  { app, place }: LocatedSchema,
  plan: GrantAccessPlan,
): Promise<void> {
  return audit.write(caller, {
    action: 'schema-access.grant',
    resource: app.id,
    resourceName: app.name,
    outcome: 'done',
    description: describe(plan, place.schemaName, place.dataSource),
    before: { owner: plan.before.owner },
    after: afterwards(team, plan),
    ...(reason !== undefined && { reason }),
  });
}

/** `schema` is undefined when it was not found. */
function auditFailure(
  { audit }: Dependencies,
  caller: Caller,
  { appId, schemaName, teamUser }: GrantOrder,
  schema: LocatedSchema | undefined,
  error: unknown,
): Promise<void> {
  const where = schema ? `${schema.place.schemaName} in ${schema.place.dataSource}` : (schemaName ?? 'of an app');
  return audit.write(caller, {
    action: 'schema-access.grant',
    resource: schema?.app.id ?? appId ?? schemaName ?? '',
    ...(schema && { resourceName: schema.app.name }),
    description: `Access to the schema ${where} for ${teamUser}`,
    ...outcomeOf(error),
  });
}

type PreparedGrant = Awaited<ReturnType<typeof prepare>>;

/** Checks what was asked for, and gathers what the records know of the schema. */
async function prepare({ appDatabases, pool }: Dependencies, caller: Caller, { teamUser, ...hint }: GrantWish) {
  const { environment } = caller;
  checkTeamUser(environment, teamUser);
  const schema = await locateSchema(appDatabases, caller, hint);
  await settleOpen(pool, schema.place, () => schema.database);
  const { appRole, teams } = await readRecord(pool, schema.place);
  return { schema, hints: { recorded: appRole, teams: [...new Set([...environment.teamUsers, ...teams])] } };
}

function recordOf(plan: GrantAccessPlan) {
  const { before, team, objects } = plan;
  return {
    team,
    before,
    appRole: before.appRole,
    previousOwner: before.owner,
    actions: actionsOf(plan),
    counts: countKinds(objects),
  };
}

function describe({ steps, objects, team }: GrantAccessPlan, schemaName: string, dataSource: string): string {
  if (steps.length === 0) return `${team} had access to all of the schema ${schemaName} in ${dataSource} already`;
  return `Access to the schema ${schemaName} in ${dataSource} for ${team}, ${objects.length} objects`;
}
