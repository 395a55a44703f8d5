import type { AccessActions, AccessPlan } from '@portal/contract/schema-access';
import type { Pool } from '@portal/kit/postgres/pool';
import { Conflict, Problem } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import { type RevertAccessPlan, revertAccess } from '@portal/platforms/helium-database/schema-access/revert-access';
import { auditUnlisted, UnlistedApp } from '../../access/app-access.ts';
import type { Noted } from '../../access/enforcer.ts';
import { isReading } from '../../access/policy.ts';
import type { Finder } from '../../access/subjects.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';
import { checkExpected, describeResult, getActions, toSummary } from './access-actions.ts';
import {
  findGrant,
  readBefore,
  readRecord,
  type SchemaLocation,
  type StoredGrant,
  setReverting,
  settleCommitted,
} from './access-grants.store.ts';
import { lockAccess } from './lock-access.ts';
import { settleOpen } from './open-grants.ts';
import { runRecorded } from './run-recorded.ts';

declare module '../../access/subjects.ts' {
  interface Subjects {
    readonly grant: StoredGrant;
  }
}

/**
 * Finds a grant. Throws UnlistedApp, with the same message whether the grant does not exist or
 * belongs to another caller's app.
 */
export function grantFinder(pool: Pool): Finder<StoredGrant> {
  return async (grantId, { caller, action }) => {
    const [grant, { byId }] = await Promise.all([
      findGrant(pool, caller.environment.name, grantId),
      caller.apps({ forReading: isReading(action) }),
    ]);
    const app = grant && byId.get(grant.appId);
    if (!grant || !app) {
      const reason = `There is no grant ${shortenValue(grantId)} for any of your apps.`;
      await auditUnlisted(caller, action, { resource: { kind: 'grant', id: grantId }, reason });
      throw new UnlistedApp(reason);
    }
    const resource = { kind: 'app', id: grant.appId } as const;
    return { value: grant, resource, resourceName: grant.appName, apps: [app] };
  };
}

/** Plans a revert with a dry run. */
export async function planRevert(
  dependencies: Dependencies,
  caller: Caller,
  grant: StoredGrant,
  signal: AbortSignal,
): Promise<AccessPlan> {
  const { before, ...ran } = await runRevert(dependencies, caller, grant, 'dry-run', signal);
  return {
    ...toSummary(ran),
    dataSource: grant.dataSource,
    schemaName: grant.schemaName,
    owner: ran.plan.now.owner,
    newOwner: before.owner,
    appRole: before.appRole,
  };
}

/**
 * Generates the SQL that reverts a grant in the current state, or returns why that is not possible.
 */
export async function readInverse(
  dependencies: Dependencies,
  caller: Caller,
  grant: StoredGrant,
  signal: AbortSignal,
): Promise<{ readonly inverse: string[]; readonly obstacle: string | null }> {
  try {
    const { location } = getSchema(dependencies, caller, grant);
    const obstacle = findObstacle(grant, await readRecord(dependencies.pool, location));
    if (obstacle !== null) return { inverse: [], obstacle };
    const { plan } = await runRevert(dependencies, caller, grant, 'plan', signal);
    return { inverse: getActions(plan), obstacle };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { inverse: [], obstacle: error.message };
  }
}

export interface RevertRequest {
  readonly caller: Caller;
  readonly grant: StoredGrant;
  readonly reason?: string | undefined;
  readonly expected?: string | undefined;
  readonly noted: Noted;
}

/** Reverts a grant. */
export async function revertGrant(
  dependencies: Dependencies,
  { caller, grant, reason, expected, noted }: RevertRequest,
): Promise<AccessActions> {
  const { pool } = dependencies;
  noted.description = `Access to the schema ${grant.schemaName} in ${grant.dataSource} revoked from ${grant.team}`;
  const { database, location } = getSchema(dependencies, caller, grant);
  const before = await readBefore(pool, grant.id);
  const { plan, id } = await runRecorded<RevertAccessPlan>(
    dependencies,
    { database, location },
    {
      state: 'reverting',
      async write({ xid }) {
        await setReverting(pool, grant.id, { xid, by: caller.username, reason: reason ?? null });
        return grant.id;
      },
      run: (beforeCommit) =>
        lockAccess(dependencies, location, () =>
          revertAccess(database, {
            before,
            team: grant.team,
            mode: 'run',
            async check(plan) {
              // Checked again under the lock, which prevents other changes to this schema's access.
              await checkNewest(dependencies, database, location, grant.id);
              checkExpected(plan, expected);
            },
            beforeCommit,
          }),
        ),
    },
  );
  if (id === undefined) {
    // Everything was already reverted by hand; only the record is outdated.
    await setReverting(pool, grant.id, { xid: null, by: caller.username, reason: reason ?? null });
    await settleCommitted(pool, { ...location, id: grant.id, state: 'reverting' });
  }
  noted.before = { owner: plan.now.owner };
  noted.after = describeResult(before.owner, plan);
  if (reason !== undefined) noted.reason = reason;
  return { actions: getActions(plan), grantId: grant.id };
}

async function runRevert(
  dependencies: Dependencies,
  caller: Caller,
  grant: StoredGrant,
  mode: 'dry-run' | 'plan',
  signal: AbortSignal,
) {
  const { location, ...schema } = getSchema(dependencies, caller, grant);
  const database = schema.database.withSignal(signal);
  const before = await readBefore(dependencies.pool, grant.id);
  const check = mode === 'plan' ? undefined : () => checkNewest(dependencies, database, location, grant.id);
  const ran = await lockAccess(dependencies, location, () =>
    revertAccess(database, { before, team: grant.team, mode, ...(check && { check }) }),
  );
  return { ...ran, before };
}

function getSchema({ appDatabases }: Dependencies, { environment }: Caller, { dataSource, schemaName }: StoredGrant) {
  const database = appDatabases.require(environment, dataSource);
  return { database, location: { environment: environment.name, dataSource, schemaName } };
}

async function checkNewest(
  { pool }: Dependencies,
  database: HeliumDatabase,
  location: SchemaLocation,
  id: string,
): Promise<void> {
  await settleOpen(pool, location, () => database);
  const grant = await findGrant(pool, location.environment, id);
  const obstacle = grant ? findObstacle(grant, await readRecord(pool, location)) : 'This grant was never committed.';
  if (obstacle !== null) throw new Conflict(obstacle);
}

/** Returns why a grant cannot be reverted; null if it can. */
function findObstacle({ id, state }: StoredGrant, { newest }: { readonly newest: string | undefined }): string | null {
  if (state === 'running') return 'The grant is still running. Wait until it has finished.';
  if (state === 'reverted') return 'The grant has already been reverted.';
  if (state === 'replaced') return 'Access was later granted to another team. Only the newest grant can be reverted.';
  if (newest === id) return null;
  return 'Access to this schema was granted again later. Revert the newest grant first.';
}
