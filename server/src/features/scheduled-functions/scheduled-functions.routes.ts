import * as contract from '@portal/contract/scheduled-functions';
import { readScheduledFunctionResults } from '@portal/platforms/helium-database/scheduled-function-results';
import { requireApp } from '../../access/app-access.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { readSchedule } from './read-schedule.ts';
import { toggleFunction } from './toggle-function.ts';

const maxResults = 1_000;

export function scheduledFunctionsRoutes(dependencies: Dependencies): RoutesOf<typeof contract> {
  const { permissions, appDatabases } = dependencies;
  return {
    getScheduledEvents: route(contract.getScheduledEvents, async ({ caller, input: { appId }, signal }) => {
      await permissions.require(caller, 'functions.view', appId);
      const app = await requireApp(caller, appId, 'functions.view');
      const { helium, timeZone } = caller.environment;
      const events = await helium.listScheduledEvents({ credentials: caller.credentials(), appId: app.id, signal });
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
      async ({ caller, input: { uuid }, signal }) => {
        await permissions.require(caller, 'functions.view', uuid);
        const { schemaName } = await requireApp(caller, uuid, 'functions.view');
        const database = await appDatabases.find(caller.environment, schemaName, signal);
        const results = await readScheduledFunctionResults(database, schemaName, { limit: maxResults });
        return results.map(({ qualifiedName, started, finished, error, stackTrace }) => ({
          qualifiedName,
          started: started.toISOString(),
          finished: finished?.toISOString() ?? null,
          exception: error,
          stacktrace: stackTrace,
        }));
      },
    ),
  };
}
