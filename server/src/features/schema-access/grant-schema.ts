import type { ResponseOf } from '@portal/contract/endpoint';
import type { AccessActions, AccessPlan, generateSql } from '@portal/contract/schema-access';
import { catalogScript } from '@portal/platforms/helium-database/schema-access/catalog-script';
import { type GrantAccessPlan, grantAccess } from '@portal/platforms/helium-database/schema-access/grant-access';
import { defaultLockTimeoutMs } from '@portal/platforms/helium-database/schema-access/run-steps';
import { countKinds } from '@portal/platforms/helium-database/schema-access/schema-state';
import type { Noted } from '../../access/enforcer.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';
import {
  checkExpected,
  checkTeamUser,
  describeResult,
  getActions,
  toSummary,
  toTransaction,
} from './access-actions.ts';
import { addRunning, readRecord } from './access-grants.store.ts';
import type { LocatedSchema } from './locate-schema.ts';
import { lockAccess } from './lock-access.ts';
import { settleOpen } from './open-grants.ts';
import { type RecordedResult, runRecorded } from './run-recorded.ts';

/** A call that concerns the access of a team to a schema. */
export interface GrantCall {
  readonly caller: Caller;
  readonly schema: LocatedSchema;
  readonly teamUser: string;
}

/** Plans a grant with a dry run. */
export async function planGrant(dependencies: Dependencies, call: GrantCall): Promise<AccessPlan> {
  const { schema, teamUser: team } = call;
  const hints = await readHints(dependencies, call);
  const { dataSource, schemaName } = schema.location;
  const ran = await lockAccess(dependencies, schema.location, () =>
    grantAccess(schema.database, { ...hints, schemaName, team, mode: 'dry-run' }),
  );
  return {
    ...toSummary(ran),
    dataSource,
    schemaName,
    owner: ran.plan.before.owner,
    newOwner: team,
    appRole: ran.plan.before.appRole,
  };
}

type GeneratedSql = ResponseOf<typeof generateSql>;

/** Generates the SQL of a grant without running it. */
export async function generateGrantSql(dependencies: Dependencies, call: GrantCall): Promise<GeneratedSql> {
  const hints = await readHints(dependencies, call);
  const { database, location } = call.schema;
  const { schemaName } = location;
  const { plan } = await grantAccess(database, { ...hints, schemaName, team: call.teamUser, mode: 'plan' });
  return { actions: toTransaction(getActions(plan), defaultLockTimeoutMs), readsCatalog: false };
}

/** Generates the SQL of a grant for any schema of that name. */
export function generateCatalogSql(
  { environment }: Caller,
  { schemaName, teamUser: team }: { readonly schemaName: string; readonly teamUser: string },
): GeneratedSql {
  checkTeamUser(environment, team);
  const script = catalogScript({ schemaName, team, teams: environment.teamUsers });
  return { actions: toTransaction([script], defaultLockTimeoutMs), readsCatalog: true };
}

export interface GrantRequest extends GrantCall {
  readonly reason?: string | undefined;
  readonly expected?: string | undefined;
  readonly noted: Noted;
}

/** Runs a grant. */
export async function grantSchema(dependencies: Dependencies, request: GrantRequest): Promise<AccessActions> {
  const { schema, teamUser, reason, noted } = request;
  const { schemaName, dataSource } = schema.location;
  noted.description = `Access to the schema ${schemaName} in ${dataSource} for ${teamUser}`;
  const hints = await readHints(dependencies, request);
  const { plan, id: grantId } = await runGrant(dependencies, request, hints);
  noted.description = describe(plan, schemaName, dataSource);
  noted.before = { owner: plan.before.owner };
  noted.after = describeResult(teamUser, plan);
  if (reason !== undefined) noted.reason = reason;
  return { actions: getActions(plan), ...(grantId !== undefined && { grantId }) };
}

/** Runs the grant; the record is written before the data source commits. */
function runGrant(
  dependencies: Dependencies,
  { caller, schema, teamUser: team, reason, expected }: GrantRequest,
  hints: Hints,
): Promise<RecordedResult<GrantAccessPlan>> {
  const { app, database, location } = schema;
  const origin = { appId: app.id, appName: app.name, grantedBy: caller.username, reason: reason ?? null };
  const check = (plan: GrantAccessPlan) => checkExpected(plan, expected);
  return runRecorded<GrantAccessPlan>(dependencies, schema, {
    state: 'running',
    write: ({ xid, plan }) => addRunning(dependencies.pool, { ...location, ...toRecord(plan), ...origin, xid }),
    run: (beforeCommit) =>
      lockAccess(dependencies, location, () =>
        grantAccess(database, { ...hints, schemaName: location.schemaName, team, mode: 'run', check, beforeCommit }),
      ),
  });
}

/** What is recorded about the schema, and the teams that may own it. */
interface Hints {
  readonly recorded: string | undefined;
  readonly teams: readonly string[];
}

async function readHints(
  { pool }: Dependencies,
  { caller: { environment }, schema: { location, database }, teamUser }: GrantCall,
): Promise<Hints> {
  checkTeamUser(environment, teamUser);
  await settleOpen(pool, location, () => database);
  const { appRole, teams } = await readRecord(pool, location);
  return { recorded: appRole, teams: [...new Set([...environment.teamUsers, ...teams])] };
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
