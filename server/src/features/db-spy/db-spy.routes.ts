import * as contract from '@portal/contract/db-spy';
import { Invalid, NotFound, Unreachable } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import { readStatementText } from '@portal/platforms/helium-database/statistics/statement-text';
import type { FastifyRequest } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { FairSlots, getSlotKey } from '../../fair-slots.ts';
import { RawJsonList } from '../../http/raw-json-list.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { explain } from './explain.ts';
import { readContext } from './read-context.ts';
import { readStats } from './read-stats.ts';
import { readLastResets } from './reset/last-resets.ts';
import { resetStatistics } from './reset/reset-statistics.ts';
import type { SnapshotSchedule } from './snapshots/snapshot-schedule.ts';
import { requireStatistics } from './statistics-state.ts';
import { findTarget, type StatisticsTarget } from './statistics-target.ts';

export function dbSpyRoutes(dependencies: Dependencies, snapshots: SnapshotSchedule): RoutesOf<typeof contract> {
  const { pool, permissions } = dependencies;
  // Whole lists of statements take the server's time and a data source's connections. A second one of
  // the same user would only make both slower, and everybody else's calls.
  const slots = new FairSlots({ maxRunning: 3, maxRunningPerKey: 1 });

  const noteView = ({ environment, database }: StatisticsTarget) =>
    snapshots.noteView({ environment, dataSource: database.name });

  return {
    getStats: route(contract.getStats, ({ caller, input, signal }) =>
      withTitle(async () => {
        const target = await findTarget(dependencies, caller, input, signal);
        await noteView(target);
        return new RawJsonList((add, closed) =>
          withTitle(() => slots.run(getSlotKey(caller), () => readStats(pool, target, input, new Date(), add), closed)),
        );
      }),
    ),

    getStatsContext: route(contract.getStatsContext, async ({ caller, input, signal }) => {
      const target = await findTarget(dependencies, caller, input, signal);
      const [context] = await Promise.all([
        readContext(pool, target, input.range ?? 'reset', new Date()),
        noteView(target),
      ]);
      return context;
    }),

    getStatement: route(contract.getStatement, async ({ caller, input, signal }) => {
      const { database, dataSource, rule } = await findTarget(dependencies, caller, input, signal);
      const { extension } = await requireStatistics(database, dataSource);
      const { query } = await readStatementText(database, extension, input.id, rule ?? undefined);
      return { query };
    }),

    explainStatement: route(contract.explainStatement, async ({ caller, input, signal }) =>
      explain(await findTarget(dependencies, caller, input, signal), input.id),
    ),

    getLastReset: route(contract.getLastReset, async ({ caller, input: { dataSource }, signal }) => {
      await permissions.require(caller, 'statistics.view', { resource: dataSource });
      const { environment } = caller;
      const dataSources = environment.dataSources.filter(
        ({ heliumDataSourceName }) => dataSource === undefined || heliumDataSourceName === dataSource,
      );
      if (dataSource !== undefined && dataSources.length === 0)
        throw new Invalid(`There is no data source ${shortenValue(dataSource)} in ${environment.name}.`);
      return readLastResets(dependencies, environment, dataSources, signal);
    }),

    resetStats: route(contract.resetStats, ({ caller, input, request }) =>
      resetStatistics(dependencies, caller, getHostname(request, input.hostname), new Date()),
    ),
  };
}

/** Adds the specified title to errors that prevent showing the statistics. */
async function withTitle<T>(work: () => Promise<T>): Promise<T> {
  const title = 'Error getting stats!';
  try {
    return await work();
  } catch (error) {
    if (error instanceof Unreachable)
      throw new Unreachable(error.message, { title, cause: error, timedOut: error.status === 504 });
    if (error instanceof NotFound) throw new NotFound(error.message, { title, cause: error });
    throw error;
  }
}

/**
 * Returns the hostname from the query (as specified) or the body; both must agree if both are sent.
 */
function getHostname({ query }: FastifyRequest, inBody: string | undefined): string {
  const inQuery: unknown =
    typeof query === 'object' && query !== null && 'hostname' in query ? query.hostname : undefined;
  if (inQuery !== undefined && typeof inQuery !== 'string') throw new Invalid('Send only one hostname.');
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody)
    throw new Invalid(
      `The query names the server ${shortenValue(inQuery)}, but the body names ${shortenValue(inBody)}. Send only one of them.`,
    );
  const hostname = inQuery ?? inBody;
  if (hostname === undefined || hostname === '')
    throw new Invalid('The hostname is missing. Send the hostname of the server to reset.');
  return hostname;
}
