import type { AccessActions, AccessPlan } from '@portal/contract/schema-access';
import { type GrantAccessPlan, grantAccess } from '@portal/platforms/helium-database/schema-access/grant-access';
import { usualLockTimeoutMs } from '@portal/platforms/helium-database/schema-access/run-steps';
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
import { recorded } from './recorded.ts';
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
    return { actions: transactionOf(plan, usualLockTimeoutMs) };
  } catch (error) {
    throw titled(error, 'Failed to generated SQL!');
  }
}

export interface GrantOrder extends GrantWish {
  readonly reason?: string | undefined;
  readonly expected?: string | undefined;
}

/** Grants, and writes down that it did, or why it did not. Throws FailedActions. */
export async function grantSchema(
  dependencies: Dependencies,
  caller: Caller,
  order: GrantOrder,
): Promise<AccessActions> {
  const { pool, permissions, audit } = dependencies;
  await permissions.require(caller, 'schema-access.grant', order.appId ?? null);
  const { teamUser: team, reason } = order;
  let schema: LocatedSchema | undefined;
  const deed = () => ({
    action: 'schema-access.grant',
    resource: schema?.app.id ?? order.appId ?? order.schemaName ?? '',
    ...(schema && { resourceName: schema.app.name }),
  });
  try {
    const prepared = await prepare(dependencies, caller, order);
    schema = prepared.schema;
    const { app, database, place } = schema;
    const { schemaName, dataSource } = place;
    const { plan, id: grantId } = await recorded<GrantAccessPlan>(dependencies, schema, {
      state: 'running',
      write: ({ xid, plan }) =>
        addRunning(pool, {
          ...place,
          ...recordOf(plan),
          xid,
          appId: app.id,
          appName: app.name,
          grantedBy: caller.username,
          reason: reason ?? null,
        }),
      run: (beforeCommit) =>
        grantAccess(database, {
          ...prepared.hints,
          schemaName,
          team,
          mode: 'run',
          check: (plan) => checkExpected(plan, order.expected),
          beforeCommit,
        }),
    });
    await audit.write(caller, {
      ...deed(),
      outcome: 'done',
      description: describe(plan, schemaName, dataSource),
      before: { owner: plan.before.owner },
      after: afterwards(team, plan),
      ...(reason !== undefined && { reason }),
    });
    return { actions: actionsOf(plan), ...(grantId !== undefined && { grantId }) };
  } catch (error) {
    const where = schema
      ? `${schema.place.schemaName} in ${schema.place.dataSource}`
      : (order.schemaName ?? 'of an app');
    await audit.write(caller, {
      ...deed(),
      description: `Access to the schema ${where} for ${team}`,
      ...outcomeOf(error),
    });
    throw titled(error, failedToGrant);
  }
}

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
