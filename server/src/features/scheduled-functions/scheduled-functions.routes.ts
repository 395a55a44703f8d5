import * as contract from '@portal/contract/scheduled-functions';
import { Unreachable } from '@portal/kit/problems';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import {
  listMissingResultIndexes,
  readLastResults,
  readNewestResults,
  type ScheduledFunctionResult,
} from '@portal/platforms/helium-database/scheduled-function-results';
import type { Dependencies } from '../../dependencies.ts';
import { reportSkipped } from '../../http/report-skipped.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { readSchedule } from './read-schedule.ts';
import { toggleFunction } from './toggle-function.ts';

export function scheduledFunctionsRoutes({ appChecks, appDatabases }: Dependencies): RoutesOf<typeof contract> {
  return {
    getScheduledEvents: route(contract.getScheduledEvents, async ({ caller, app, signal, reply }) => {
      await appChecks.openPage(caller, app);
      const { helium, timeZone } = caller.environment;
      const as = { credentials: caller.credentials(), appId: app.id, signal };
      const { entries: events, skipped } = await helium.listScheduledEvents(as);
      reportSkipped(reply, skipped);
      const now = new Date();
      return events.map((event) => {
        const { description, nextRun } = readSchedule(event.schedule, timeZone, now);
        const runs = event.state === 'Enabled' ? nextRun : null;
        return { ...event, scheduleInWords: description, nextRun: runs?.toISOString() ?? null };
      });
    }),

    toggleScheduledEvent: route(
      contract.toggleScheduledEvent,
      ({ input: { scheduledEvent: name, state, expected }, ...call }) =>
        toggleFunction(call, { name, state, expected }),
      // Without the lock, the change of another user would look like a result of this one. It is
      // that of the configuration, because Undo reverts either.
      { lock: 'config' },
    ),

    getScheduledFunctionResults: route(
      contract.getScheduledFunctionResults,
      async ({ caller, app: { schemaName }, input: { limit = contract.maxFunctionResults }, signal }) => {
        const database = await appDatabases.find(caller.environment, schemaName, signal);
        return (await readNewestResults(database, schemaName, { limit })).map(toResponse);
      },
    ),

    getLastFunctionResults: route(contract.getLastFunctionResults, async ({ caller, app: { schemaName }, signal }) => {
      const database = await appDatabases.find(caller.environment, schemaName, signal);
      const [last, indexStatements] = await Promise.all([
        readLastResultsInTime(database, schemaName),
        listMissingResultIndexes(database, schemaName),
      ]);
      return { ...last, indexStatements };
    }),
  };
}

async function readLastResultsInTime(database: HeliumDatabase, schemaName: string) {
  try {
    const limit = contract.maxFunctionResults;
    const { results, isLimited } = await readLastResults(database, schemaName, { limit });
    return { results: [...results.values()].map(toResponse), isLimited };
  } catch (error) {
    if (error instanceof Unreachable && error.status === 504 && !database.silence)
      return { results: null, isLimited: false };
    throw error;
  }
}

function toResponse({ qualifiedName, started, finished, error, stackTrace }: ScheduledFunctionResult) {
  return {
    qualifiedName,
    started: started.toISOString(),
    finished: finished?.toISOString() ?? null,
    exception: error,
    stacktrace: stackTrace,
  };
}
