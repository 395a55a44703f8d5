import type { App } from '@portal/contract/apps';
import { Refused } from '@portal/kit/problems';
import { readAppSchemas } from '@portal/platforms/helium-database/app-schemas';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import type { Dependencies } from '../../../dependencies.ts';
import type { Caller } from '../../../session/caller.ts';
import type { Source } from '../snapshots/snapshots.store.ts';

type ServerDependencies = Pick<Dependencies, 'permissions' | 'environments'>;

interface Server {
  readonly hostname: string;
  readonly databases: readonly { readonly source: Source; readonly database: HeliumDatabase }[];
}

/**
 * Returns the apps on the server that the caller must be able to change before a reset. The server
 * may serve several environments: roles are judged in each of them. Without roles, only the
 * platform of the caller's environment knows what they may change. Throws Refused if the caller
 * cannot be judged everywhere, or may not reset.
 */
export async function findServerApps(
  { permissions, environments }: ServerDependencies,
  caller: Caller,
  { hostname, databases }: Server,
): Promise<readonly App[]> {
  const names = new Set(databases.map(({ source }) => source.environment));
  const others = environments.all.filter(({ name }) => names.has(name) && name !== caller.environment.name);
  if (permissions.hasRoles) {
    for (const environment of others) {
      const reason = await permissions.findRefusal({ ...caller, environment }, 'statistics.reset', {});
      if (reason !== null) throw new Refused(reason);
    }
    return [];
  }
  const start = `You cannot reset statistics of ${hostname}, because it also`;
  if (others.length > 0) {
    const serves = others.map(({ name }) => name).join(', ');
    throw new Refused(
      `${start} serves ${serves}, where the portal cannot determine what you may change. Ask an administrator to configure roles.`,
    );
  }
  const [{ apps }, ...schemas] = await Promise.all([
    caller.apps(),
    ...databases.map(({ database }) => readAppSchemas(database)),
  ]);
  const schemaNames = new Set(schemas.flat().map(({ schemaName }) => schemaName));
  const found = apps.filter(({ schemaName }) => schemaNames.has(schemaName));
  if (found.length < schemaNames.size) throw new Refused(`${start} holds apps that you cannot see.`);
  return found;
}
