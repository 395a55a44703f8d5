import * as contract from '@portal/contract/db-spy';
import { Invalid, NotFound, Unreachable } from '@portal/kit/problems';
import { readStatementText } from '@portal/platforms/helium-database/statistics/statement-text';
import type { FastifyRequest } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { WrittenAnswer } from '../../http/written-answer.ts';
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

  const lookAt = ({ environment, database }: StatisticsTarget) =>
    snapshots.noteLook({ environment, dataSource: database.name });

  return {
    getStats: route(contract.getStats, ({ caller, input }) =>
      withTitle(async () => {
        const target = await findTarget(dependencies, caller, input);
        const [rows] = await Promise.all([readStats(pool, target, input, new Date()), lookAt(target)]);
        return new WrittenAnswer(rows);
      }),
    ),

    getStatsContext: route(contract.getStatsContext, async ({ caller, input }) => {
      const target = await findTarget(dependencies, caller, input);
      const [context] = await Promise.all([
        readContext(pool, target, input.range ?? 'reset', new Date()),
        lookAt(target),
      ]);
      return context;
    }),

    getStatement: route(contract.getStatement, async ({ caller, input }) => {
      const { database, dataSource, rule } = await findTarget(dependencies, caller, input);
      const { extension } = await requireStatistics(database, dataSource);
      const { query } = await readStatementText(database, extension, input.id, rule ?? undefined);
      return { query };
    }),

    explainStatement: route(contract.explainStatement, async ({ caller, input }) =>
      explain(await findTarget(dependencies, caller, input), input.id),
    ),

    getLastReset: route(contract.getLastReset, async ({ caller, input: { dataSource } }) => {
      await permissions.require(caller, 'statistics.view', dataSource ?? null);
      const { environment } = caller;
      const asked = environment.dataSources.filter(
        ({ heliumDataSourceName }) => dataSource === undefined || heliumDataSourceName === dataSource,
      );
      if (dataSource !== undefined && asked.length === 0)
        throw new Invalid(`There is no data source ${dataSource} in ${environment.name}.`);
      return readLastResets(dependencies, environment, asked);
    }),

    resetStats: route(contract.resetStats, ({ caller, input, request }) =>
      resetStatistics(dependencies, caller, hostnameIn(request, input.hostname), new Date()),
    ),
  };
}

/** The specified title, for whatever keeps the statistics from being shown. */
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

/** Named in the query, as specified, in the body, or the same in both. */
function hostnameIn({ query }: FastifyRequest, inBody: string | undefined): string {
  const given: unknown =
    typeof query === 'object' && query !== null && 'hostname' in query ? query.hostname : undefined;
  if (given !== undefined && typeof given !== 'string') throw new Invalid('Name one hostname.');
  if (given !== undefined && inBody !== undefined && given !== inBody)
    throw new Invalid(`The address names the server ${given}, the payload ${inBody}: say which is meant.`);
  const hostname = given ?? inBody;
  if (hostname === undefined || hostname === '') throw new Invalid('Say which server: send its hostname.');
  return hostname;
}
