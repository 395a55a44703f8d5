import * as contract from '@portal/contract/schema-access';
import { Invalid } from '@portal/kit/problems';
import { listAppsIn } from '../../access/app-access.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { readHistory } from './access-history.ts';
import { generateCatalogSql, generateGrantSql, grantSchema, planGrant } from './grant-schema.ts';
import { locateAppSchema } from './locate-schema.ts';
import { pingDataSource } from './ping-data-source.ts';
import { planRevert, readInverse, revertGrant } from './revert-grant.ts';

const titles = {
  grant: { problemTitle: 'Failed to grant access!' },
  sql: { problemTitle: 'Failed to generated SQL!' },
  revert: { problemTitle: 'Failed to revert access!' },
};

export function schemaAccessRoutes(dependencies: Dependencies): RoutesOf<typeof contract> {
  const { appDatabases } = dependencies;
  return {
    getTeamNames: route(contract.getTeamNames, ({ caller }) => [...caller.environment.teamUsers]),

    pingDatabase: route(contract.pingDatabase, async ({ dataSource }) => ({
      response: await pingDataSource(dataSource),
    })),

    getAppSchemas: route(contract.getAppSchemas, ({ caller, dataSource }) =>
      listAppsIn(caller, dataSource, 'schema-access.view'),
    ),

    planAccess: route(
      contract.planAccess,
      async ({ caller, app, schema: named, input: { dataSource, teamUser }, signal }) => {
        const isOne = (app === undefined) !== (named === undefined);
        const schema = app && isOne ? await locateAppSchema(appDatabases, caller, app, { dataSource, signal }) : named;
        if (!schema || !isOne)
          throw new Invalid('The schema is missing. Send either appId, or dataSource and schemaName.');
        return planGrant(dependencies, { caller, schema, teamUser });
      },
      titles.grant,
    ),

    migrateApp: route(
      contract.migrateApp,
      async ({ caller, app, input, noted }) => {
        noted.description = `Access to the schema of an app for ${input.teamUser}`;
        const schema = await locateAppSchema(appDatabases, caller, app);
        return grantSchema(dependencies, { ...input, caller, schema, noted });
      },
      titles.grant,
    ),

    migrateSchema: route(
      contract.migrateSchema,
      ({ caller, schema, input, noted }) => grantSchema(dependencies, { ...input, caller, schema, noted }),
      titles.grant,
    ),

    generateSql: route(
      contract.generateSql,
      ({ caller, anySchema: schema, input: { schemaName, teamUser } }) =>
        schema
          ? generateGrantSql(dependencies, { caller, schema, teamUser })
          : generateCatalogSql(caller, { schemaName, teamUser }),
      titles.sql,
    ),

    planRevert: route(
      contract.planRevert,
      ({ caller, grant, signal }) => planRevert(dependencies, caller, grant, signal),
      titles.revert,
    ),

    revertAccess: route(
      contract.revertAccess,
      ({ caller, grant, input: { reason, expected }, noted }) =>
        revertGrant(dependencies, { caller, grant, reason, expected, noted }),
      titles.revert,
    ),

    getAccessHistory: route(contract.getAccessHistory, ({ caller, app }) => readHistory(dependencies, caller, app)),

    getAccessGrant: route(contract.getAccessGrant, async ({ caller, grant, signal }) => ({
      grant,
      actions: [...grant.actions],
      ...(await readInverse(dependencies, caller, grant, signal)),
    })),
  };
}
