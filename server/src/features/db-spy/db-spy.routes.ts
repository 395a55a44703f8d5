import * as contract from '@portal/contract/db-spy';
import { Invalid } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import { readStatementText } from '@portal/platforms/helium-database/statistics/statement-text';
import type { FastifyRequest } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { RawJsonList } from '../../http/raw-json-list.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { explain } from './explain.ts';
import { readContext } from './read-context.ts';
import { readStats, readTopStats } from './read-stats.ts';
import { readTrends } from './read-trends.ts';
import { missingHostname } from './reset/database-host.ts';
import { readLastResets } from './reset/last-resets.ts';
import { resetStatistics } from './reset/reset-statistics.ts';
import type { SnapshotSchedule } from './snapshots/snapshot-schedule.ts';
import { requireStatistics } from './statistics-state.ts';
import { findTarget, type StatisticsTarget } from './statistics-target.ts';

export function dbSpyRoutes(dependencies: Dependencies, snapshots: SnapshotSchedule): RoutesOf<typeof contract> {
  const { pool, appDatabases } = dependencies;
  const noteView = ({ environment, database }: StatisticsTarget) =>
    snapshots.noteView({ environment, dataSource: database.name });

  return {
    getStats: route(
      contract.getStats,
      async ({ input, ...call }) => {
        const target = await findTarget(appDatabases, call);
        await noteView(target);
        return new RawJsonList((add) => readStats(pool, target, input, new Date(), add));
      },
      { problemTitle: 'Error getting stats!' },
    ),

    getTopStats: route(
      contract.getTopStats,
      async ({ input, ...call }) => {
        const target = await findTarget(appDatabases, call);
        await noteView(target);
        return readTopStats(pool, target, input, new Date());
      },
      { problemTitle: 'Error getting stats!' },
    ),

    getStatementTrends: route(contract.getStatementTrends, async ({ input, ...call }) =>
      readTrends(pool, await findTarget(appDatabases, call), input, new Date()),
    ),

    getStatsContext: route(contract.getStatsContext, async ({ input, ...call }) => {
      const target = await findTarget(appDatabases, call);
      const [context] = await Promise.all([
        readContext(pool, target, input.range ?? 'reset', new Date()),
        noteView(target),
      ]);
      return context;
    }),

    getStatement: route(contract.getStatement, async ({ input, ...call }) => {
      const { database, dataSource, rule, findVisible } = await findTarget(appDatabases, call);
      const { extension } = await requireStatistics(database, dataSource);
      const rules = rule ? [rule] : await findVisible();
      const { query } = await readStatementText(database, extension, input.id, rules);
      return { query };
    }),

    explainStatement: route(contract.explainStatement, async ({ input, ...call }) =>
      explain(await findTarget(appDatabases, call), input.id),
    ),

    getLastReset: route(contract.getLastReset, ({ caller: { environment }, dataSource, signal }) => {
      const dataSources = environment.dataSources.filter(
        ({ heliumDataSourceName }) => dataSource === undefined || heliumDataSourceName === dataSource.name,
      );
      return readLastResets(dependencies, environment, dataSources, signal);
    }),

    resetStats: route(contract.resetStats, ({ databaseHost, input, request, ...call }) => {
      checkHostname(request, input.hostname);
      if (!databaseHost) throw missingHostname();
      return resetStatistics(dependencies, { ...call, databaseHost }, new Date());
    }),
  };
}

/** Throws Invalid if the query, as specified, and the body name different servers. */
function checkHostname({ query }: FastifyRequest, inBody: string | undefined): void {
  const { hostname: inQuery } = Object(query);
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody)
    throw new Invalid(
      `The query names the server ${shortenValue(inQuery)}, but the body names ${shortenValue(inBody)}. Send only one of them.`,
    );
}
