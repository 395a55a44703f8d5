import * as contract from '@portal/contract/schema-access';
import { listAppsIn } from '../../access/app-access.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { readHistory } from './access-history.ts';
import { generateGrantSql, grantSchema, planGrantOf } from './grant-schema.ts';
import { pingDataSource } from './ping-data-source.ts';
import { planRevertOf, readInverse, requireGrant, revertGrant } from './revert-grant.ts';

export function schemaAccessRoutes(dependencies: Dependencies): RoutesOf<typeof contract> {
  const { permissions, appDatabases } = dependencies;
  return {
    getTeamNames: route(contract.getTeamNames, async ({ caller }) => {
      await permissions.require(caller, 'schema-access.view');
      return [...caller.environment.teamUsers];
    }),

    pingDatabase: route(contract.pingDatabase, async ({ caller, takes }) => {
      await permissions.require(caller, 'schema-access.view');
      return { response: await pingDataSource(appDatabases.require(caller.environment, takes.dataSource)) };
    }),

    getAppSchemas: route(contract.getAppSchemas, async ({ caller, takes }) => {
      await permissions.require(caller, 'schema-access.view');
      return listAppsIn(caller, appDatabases.require(caller.environment, takes.dataSource));
    }),

    planAccess: route(contract.planAccess, ({ caller, takes }) => planGrantOf(dependencies, caller, takes)),
    migrateApp: route(contract.migrateApp, ({ caller, takes }) => grantSchema(dependencies, caller, takes)),
    migrateSchema: route(contract.migrateSchema, ({ caller, takes }) => grantSchema(dependencies, caller, takes)),
    generateSql: route(contract.generateSql, ({ caller, takes }) => generateGrantSql(dependencies, caller, takes)),

    planRevert: route(contract.planRevert, ({ caller, takes }) => planRevertOf(dependencies, caller, takes.grantId)),
    revertAccess: route(contract.revertAccess, ({ caller, takes }) => revertGrant(dependencies, caller, takes)),

    getAccessHistory: route(contract.getAccessHistory, async ({ caller, takes }) => {
      await permissions.require(caller, 'schema-access.view');
      return readHistory(dependencies, caller, takes.appId);
    }),

    getAccessGrant: route(contract.getAccessGrant, async ({ caller, takes }) => {
      await permissions.require(caller, 'schema-access.view');
      const grant = await requireGrant(dependencies, caller, takes.grantId);
      return { grant, actions: [...grant.actions], ...(await readInverse(dependencies, caller, grant)) };
    }),
  };
}
