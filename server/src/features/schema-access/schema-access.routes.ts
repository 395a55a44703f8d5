import * as contract from '@portal/contract/schema-access';
import { listAppsIn } from '../../access/app-access.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { readHistory } from './access-history.ts';
import { generateGrantSql, grantSchema, planGrant } from './grant-schema.ts';
import { pingDataSource } from './ping-data-source.ts';
import { planRevert, readInverse, requireGrant, revertGrant } from './revert-grant.ts';

export function schemaAccessRoutes(dependencies: Dependencies): RoutesOf<typeof contract> {
  const { permissions, appDatabases } = dependencies;
  return {
    getTeamNames: route(contract.getTeamNames, async ({ caller }) => {
      await permissions.require(caller, 'schema-access.view');
      return [...caller.environment.teamUsers];
    }),

    pingDatabase: route(contract.pingDatabase, async ({ caller, input, signal }) => {
      await permissions.require(caller, 'schema-access.view');
      return {
        response: await pingDataSource(appDatabases.require(caller.environment, input.dataSource).withSignal(signal)),
      };
    }),

    getAppSchemas: route(contract.getAppSchemas, async ({ caller, input, signal }) => {
      await permissions.require(caller, 'schema-access.view');
      const database = appDatabases.require(caller.environment, input.dataSource).withSignal(signal);
      return listAppsIn(caller, database, 'schema-access.view');
    }),

    planAccess: route(contract.planAccess, ({ caller, input, signal }) =>
      planGrant(dependencies, caller, input, signal),
    ),
    migrateApp: route(contract.migrateApp, ({ caller, input }) => grantSchema(dependencies, caller, input)),
    migrateSchema: route(contract.migrateSchema, ({ caller, input }) => grantSchema(dependencies, caller, input)),
    generateSql: route(contract.generateSql, ({ caller, input, signal }) =>
      generateGrantSql(dependencies, caller, input, signal),
    ),

    planRevert: route(contract.planRevert, ({ caller, input, signal }) =>
      planRevert(dependencies, caller, input.grantId, signal),
    ),
    revertAccess: route(contract.revertAccess, ({ caller, input }) => revertGrant(dependencies, caller, input)),

    getAccessHistory: route(contract.getAccessHistory, async ({ caller, input }) => {
      await permissions.require(caller, 'schema-access.view');
      return readHistory(dependencies, caller, input.appId);
    }),

    getAccessGrant: route(contract.getAccessGrant, async ({ caller, input, signal }) => {
      await permissions.require(caller, 'schema-access.view');
      const grant = await requireGrant(dependencies, caller, input.grantId, 'schema-access.view');
      return { grant, actions: [...grant.actions], ...(await readInverse(dependencies, caller, grant, signal)) };
    }),
  };
}
