import type { AccessActions, AccessPlan } from '@portal/contract/schema-access';
import { type GrantAccessPlan, grantAccess } from '@portal/platforms/helium-database/schema-access/grant-access';
import { defaultLockTimeoutMs } from '@portal/platforms/helium-database/schema-access/run-steps';
import { countKinds } from '@portal/platforms/helium-database/schema-access/schema-state';
import { toOutcome } from '../../audit/audit-trail.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';
import {
  checkExpected,
  checkTeamUser,
  describeResult,
  getActions,
  toSummary,
  toTransaction,
  withTitle,
} from './access-actions.ts';
import { addRunning, readRecord } from './access-grants.store.ts';
import { type LocatedSchema, locateSchema, type Purpose, type SchemaHint } from './locate-schema.ts';
import { settleOpen } from './open-grants.ts';
import { type RecordedResult, runRecorded } from './run-recorded.ts';

export interface GrantTarget extends SchemaHint {
  readonly teamUser: string;
}

const failedToGrant = 'Failed to grant access!';

/** Plans a grant with a dry run. Throws FailedActions. */
export async function planGrant(
  dependencies: Dependencies,
  caller: Caller,
  target: GrantTarget,
  signal: AbortSignal,
): Promise<AccessPlan> {
  await dependencies.permissions.require(caller, 'schema-access.grant', { resource: target.appId });
  try {
    const { schema, hints } = await prepare(dependencies, caller, target, { action: 'schema-access.grant', signal });
    const { dataSource, schemaName } = schema.location;
    const ran = await grantAccess(schema.database, { ...hints, schemaName, team: target.teamUser, mode: 'dry-run' });
    return {
      ...toSummary(ran),
      dataSource,
      schemaName,
      owner: ran.plan.before.owner,
      newOwner: target.teamUser,
      appRole: ran.plan.before.appRole,
    };
  } catch (error) {
    throw withTitle(error, failedToGrant);
  }
}

/** Generates the SQL of a grant without running it. Throws FailedActions. */
export async function generateGrantSql(
  dependencies: Dependencies,
  caller: Caller,
  target: GrantTarget,
  signal: AbortSignal,
): Promise<AccessActions> {
  await dependencies.permissions.require(caller, 'schema-access.view');
  try {
    const { schema, hints } = await prepare(dependencies, caller, target, { action: 'schema-access.view', signal });
    const { schemaName } = schema.location;
    const { plan } = await grantAccess(schema.database, { ...hints, schemaName, team: target.teamUser, mode: 'plan' });
    return { actions: toTransaction(plan, defaultLockTimeoutMs) };
  } catch (error) {
    throw withTitle(error, 'Failed to generated SQL!');
  }
}

export interface GrantRequest extends GrantTarget {
  readonly reason?: string | undefined;
  readonly expected?: string | undefined;
}

/** Prepares, runs and audits a grant; a failed one is audited too. Throws FailedActions. */
export async function grantSchema(
  dependencies: Dependencies,
  caller: Caller,
  request: GrantRequest,
): Promise<AccessActions> {
  await dependencies.permissions.require(caller, 'schema-access.grant', { resource: request.appId });
  let prepared: PreparedGrant | undefined;
  try {
    prepared = await prepare(dependencies, caller, request, { action: 'schema-access.grant' });
    const { plan, id: grantId } = await runGrant(dependencies, caller, request, prepared);
    await auditGrant(dependencies, caller, request, prepared.schema, plan);
    return { actions: getActions(plan), ...(grantId !== undefined && { grantId }) };
  } catch (error) {
    await auditFailure(dependencies, caller, request, prepared?.schema, error);
    throw withTitle(error, failedToGrant);
  }
}

/** Runs the grant; the record is written before the data source commits. */
function runGrant(
  dependencies: Dependencies,
  caller: Caller,
  { teamUser: team, reason, expected }: GrantRequest,
  { schema, hints }: PreparedGrant,
): Promise<RecordedResult<GrantAccessPlan>> {
  const { app, database, location } = schema;
  const origin = { appId: app.id, appName: app.name, grantedBy: caller.username, reason: reason ?? null };
  const check = (plan: GrantAccessPlan) => checkExpected(plan, expected);
  return runRecorded<GrantAccessPlan>(dependencies, schema, {
    state: 'running',
    write: ({ xid, plan }) => addRunning(dependencies.pool, { ...location, ...toRecord(plan), ...origin, xid }),
    run: (beforeCommit) =>
      grantAccess(database, { ...hints, schemaName: location.schemaName, team, mode: 'run', check, beforeCommit }),
  });
}

function auditGrant(
  { audit }: Dependencies,
  caller: Caller,
  { teamUser: team, reason }: GrantRequest,
  { app, location }: LocatedSchema,
  plan: GrantAccessPlan,
): Promise<void> {
  return audit.write(caller, {
    action: 'schema-access.grant',
    resource: app.id,
    resourceName: app.name,
    outcome: 'done',
    description: describe(plan, location.schemaName, location.dataSource),
    before: { owner: plan.before.owner },
    after: describeResult(team, plan),
    ...(reason !== undefined && { reason }),
  });
}

/** `schema` is undefined if it was not found. */
function auditFailure(
  { audit }: Dependencies,
  caller: Caller,
  { appId, schemaName, teamUser }: GrantRequest,
  schema: LocatedSchema | undefined,
  error: unknown,
): Promise<void> {
  const where = schema ? `${schema.location.schemaName} in ${schema.location.dataSource}` : (schemaName ?? 'of an app');
  return audit.write(caller, {
    action: 'schema-access.grant',
    resource: schema?.app.id ?? appId ?? schemaName ?? '',
    ...(schema && { resourceName: schema.app.name }),
    description: `Access to the schema ${where} for ${teamUser}`,
    ...toOutcome(error),
  });
}

type PreparedGrant = Awaited<ReturnType<typeof prepare>>;

/** Validates the request and reads what is recorded about the schema. */
async function prepare(
  { appDatabases, pool }: Dependencies,
  caller: Caller,
  { teamUser, ...hint }: GrantTarget,
  purpose: Purpose,
) {
  const { environment } = caller;
  checkTeamUser(environment, teamUser);
  const schema = await locateSchema(appDatabases, caller, hint, purpose);
  await settleOpen(pool, schema.location, () => schema.database);
  const { appRole, teams } = await readRecord(pool, schema.location);
  return { schema, hints: { recorded: appRole, teams: [...new Set([...environment.teamUsers, ...teams])] } };
}

function toRecord(plan: GrantAccessPlan) {
  const { before, team, objects } = plan;
  return {
    team,
    before,
    appRole: before.appRole,
    previousOwner: before.owner,
    actions: getActions(plan),
    counts: countKinds(objects),
  };
}

function describe({ steps, objects, team }: GrantAccessPlan, schemaName: string, dataSource: string): string {
  if (steps.length === 0) return `${team} already had access to the whole schema ${schemaName} in ${dataSource}`;
  return `Access to the schema ${schemaName} in ${dataSource} for ${team}, ${objects.length} objects`;
}
