import * as contract from '@portal/contract/db-spy';
import { Invalid, NotFound, Unreachable } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import { readStatementText } from '@portal/platforms/helium-database/statistics/statement-text';
import type { FastifyRequest } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { FairSlots, getSlotKey } from '../../fair-slots.ts';
import { type AddElements, RawJsonList } from '../../http/raw-json-list.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { explain } from './explain.ts';
import { readContext } from './read-context.ts';
import { readStats } from './read-stats.ts';
import { missingHostname } from './reset/database-host.ts';
import { readLastResets } from './reset/last-resets.ts';
import { resetStatistics } from './reset/reset-statistics.ts';
import type { SnapshotSchedule } from './snapshots/snapshot-schedule.ts';
import { requireStatistics } from './statistics-state.ts';
import { findTarget, type StatisticsTarget } from './statistics-target.ts';

export function dbSpyRoutes(dependencies: Dependencies, snapshots: SnapshotSchedule): RoutesOf<typeof contract> {
  const { pool, appDatabases } = dependencies;
  // Whole lists of statements take the server's time and a data source's connections. A second one of
  // the same user would only make both slower, and everybody else's calls.
  const slots = new FairSlots({ maxRunning: 3, maxRunningPerKey: 1 });

  const noteView = ({ environment, database }: StatisticsTarget) =>
    snapshots.noteView({ environment, dataSource: database.name });

  return {
    getStats: route(
      contract.getStats,
      async ({ input, ...call }) => {
        const target = await findTarget(appDatabases, call);
        await noteView(target);
        const read = (add: AddElements) => readStats(pool, target, input, new Date(), add);
        return new RawJsonList((add, closed) =>
          slots
            .run(getSlotKey(call.caller), () => read(add), closed)
            .catch((error: unknown) => {
              throw withTitle(error);
            }),
        );
      },
      { explain: withTitle },
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

/** Adds the specified title to errors that prevent showing the statistics. */
function withTitle(error: unknown): unknown {
  const title = 'Error getting stats!';
  if (error instanceof Unreachable)
    return new Unreachable(error.message, { title, cause: error, timedOut: error.status === 504 });
  return error instanceof NotFound ? new NotFound(error.message, { title, cause: error }) : error;
}

/** Throws Invalid if the query, as specified, and the body name different servers. */
function checkHostname({ query }: FastifyRequest, inBody: string | undefined): void {
  const { hostname: inQuery } = Object(query);
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody)
    throw new Invalid(
      `The query names the server ${shortenValue(inQuery)}, but the body names ${shortenValue(inBody)}. Send only one of them.`,
    );
}
