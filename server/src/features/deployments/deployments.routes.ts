import * as contract from '@portal/contract/deployments';
import { NotFound } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import { listAppsIn } from '../../access/app-access.ts';
import type { Dependencies } from '../../dependencies.ts';
import { RawJsonList } from '../../http/raw-json-list.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { createFeed, findCallerFeed, revokeFeed } from './calendar-feeds.ts';
import { findConflicts } from './find-conflicts.ts';
import { requireSaved, resolveSchedule, saveSchedule } from './save-schedule.ts';
import { listSaves, listSchedules } from './schedules.store.ts';
import { TeamDirectory } from './team-directory.ts';

/** Longer lists are heavy work. */
const maxShortList = 100;
const schedulesPerBatch = 250;

export function deploymentsRoutes(dependencies: Dependencies): RoutesOf<typeof contract> {
  const { pool, heavyWork, config, logger } = dependencies;
  const directory = new TeamDirectory(config.deployments, logger);

  return {
    getDeploymentTeams: route(contract.getDeploymentTeams, async () => {
      const { teams } = await directory.read();
      return teams.map(({ name }) => name);
    }),

    getJiraProjects: route(contract.getJiraProjects, async ({ params }) => {
      const teamName = params.team;
      const { teams } = await directory.read();
      // Teams may differ only in spaces; then all of them match.
      const found = teams.filter(({ name }) => withoutSpaces(name) === withoutSpaces(teamName));
      if (found.length === 0) throw new NotFound(`There is no team ${shortenValue(teamName)}.`);
      return found.flatMap(({ projects }) => projects);
    }),

    getDeploymentApps: route(contract.getDeploymentApps, ({ caller, dataSource }) =>
      listAppsIn(caller, dataSource, 'deployments.view'),
    ),

    getSchedules: route(contract.getSchedules, async ({ caller, input }) => {
      const { name } = caller.environment;
      if (input?.limit !== undefined && input.limit <= maxShortList) return listSchedules(pool, name, input);
      const schedules = await heavyWork.run(caller, (heavyPool) => listSchedules(heavyPool, name, input));
      return new RawJsonList(async (add) => {
        for (let at = 0; at < schedules.length; at += schedulesPerBatch)
          await add(schedules.slice(at, at + schedulesPerBatch).map((schedule) => JSON.stringify(schedule)));
      });
    }),

    mergeSchedule: route(contract.mergeSchedule, ({ caller, schedule, input, noted }) =>
      saveSchedule(dependencies, directory, { caller, schedule, request: input, noted }),
    ),

    resolveSchedule: route(contract.resolveSchedule, async ({ caller, schedule, input, noted }) => {
      const { expected, outcome = null, note = '' } = input ?? {};
      const resolution = { outcome, outcomeNote: note.trim() };
      const { id } = await resolveSchedule(dependencies, { caller, schedule, expected, noted, ...resolution });
      return { id, scheduleStatus: 'RESOLVED' as const };
    }),

    getScheduleHistory: route(contract.getScheduleHistory, ({ caller, schedule }) =>
      listSaves(pool, requireSaved(caller, schedule).id),
    ),

    findScheduleConflicts: route(contract.findScheduleConflicts, ({ caller, apps, input }) =>
      findConflicts(pool, caller, apps, input),
    ),

    getDeploymentSettings: route(contract.getDeploymentSettings, ({ caller }) => ({
      sourceControlPrefix: config.deployments.sourceControlPrefix,
      timeZone: caller.environment.timeZone,
    })),

    getCalendarFeed: route(contract.getCalendarFeed, async ({ caller }) => {
      const feed = await findCallerFeed(pool, caller);
      return {
        createdAt: feed?.createdAt.toISOString() ?? null,
        lastReadAt: feed?.lastReadAt?.toISOString() ?? null,
      };
    }),

    createCalendarFeed: route(contract.createCalendarFeed, ({ caller }) => createFeed(pool, caller)),

    revokeCalendarFeed: route(contract.revokeCalendarFeed, async ({ caller, noted }) => {
      if (!(await revokeFeed(pool, caller))) noted.changesNothing = true;
      return { revoked: true as const };
    }),
  };
}

function withoutSpaces(name: string): string {
  return name.replaceAll(/\s/g, '');
}
