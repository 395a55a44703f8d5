import * as contract from '@portal/contract/scheduled-functions';
import { Unreachable } from '@portal/kit/problems';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import {
  listMissingResultIndexes,
  readLastResults,
  readNewestResults,
  type ScheduledFunctionResult,
} from '@portal/platforms/helium-database/scheduled-function-results';
import { requireApp } from '../../access/app-access.ts';
import type { Dependencies } from '../../dependencies.ts';
import { reportSkipped } from '../../http/report-skipped.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import type { Caller } from '../../session/caller.ts';
import { readSchedule } from './read-schedule.ts';
import { toggleFunction } from './toggle-function.ts';

export function scheduledFunctionsRoutes(dependencies: Dependencies): RoutesOf<typeof contract> {
  const { permissions, appDatabases } = dependencies;
  const openApp = async (caller: Caller, appId: string, signal: AbortSignal) => {
    await permissions.require(caller, 'functions.view', { resource: appId });
    const { schemaName } = await requireApp(caller, appId, 'functions.view');
    const database = await appDatabases.find(caller.environment, schemaName, signal);
    return { database, schemaName };
  };
  return {
    getScheduledEvents: route(contract.getScheduledEvents, async ({ caller, input: { appId }, signal, reply }) => {
      await permissions.require(caller, 'functions.view', { resource: appId });
      const app = await requireApp(caller, appId, 'functions.view');
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

    toggleScheduledEvent: route(contract.toggleScheduledEvent, ({ caller, input: { appId, scheduledEvent, state } }) =>
      toggleFunction(dependencies, caller, appId, scheduledEvent, state),
    ),

    getScheduledFunctionResults: route(
      contract.getScheduledFunctionResults,
      async ({ caller, input: { uuid, limit = contract.maxFunctionResults }, signal }) => {
        const { database, schemaName } = await openApp(caller, uuid, signal);
        return (await readNewestResults(database, schemaName, { limit })).map(toResponse);
      },
    ),

    getLastFunctionResults: route(contract.getLastFunctionResults, async ({ caller, input: { uuid }, signal }) => {
      const { database, schemaName } = await openApp(caller, uuid, signal);
      const [results, indexStatements] = await Promise.all([
        readLastResultsInTime(database, schemaName),
        listMissingResultIndexes(database, schemaName),
      ]);
      return { results, indexStatements };
    }),
  };
}

async function readLastResultsInTime(database: HeliumDatabase, schemaName: string) {
  try {
    return [...(await readLastResults(database, schemaName)).values()].map(toResponse);
  } catch (error) {
    if (error instanceof Unreachable && error.status === 504 && !database.silence) return null;
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
