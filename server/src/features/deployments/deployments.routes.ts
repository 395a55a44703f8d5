import * as contract from '@portal/contract/deployments';
import { NotFound } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { listAppsIn } from '../../access/app-access.ts';
import type { Dependencies } from '../../dependencies.ts';
import { RawJsonList } from '../../http/raw-json-list.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { createFeed, findCallerFeed, revokeFeed } from './calendar-feeds.ts';
import { requireDeployments } from './deployment-access.ts';
import { findConflicts } from './find-conflicts.ts';
import { requireSchedule, resolveSchedule, saveSchedule } from './save-schedule.ts';
import { listSaves, listSchedules } from './schedules.store.ts';
import { TeamDirectory } from './team-directory.ts';

/** The path parameter of a schedule that is not saved yet. */
const noSchedule = 'null';
/** Longer lists are heavy work. */
const maxShortList = 100;
const schedulesPerBatch = 250;

export function deploymentsRoutes(dependencies: Dependencies): RoutesOf<typeof contract> {
  const { pool, heavyWork, config, logger, appDatabases } = dependencies;
  const directory = new TeamDirectory(config.deployments, logger);

  return {
    getDeploymentTeams: route(contract.getDeploymentTeams, async ({ caller }) => {
      await requireDeployments(dependencies, caller, 'deployments.view');
      const { teams } = await directory.read();
      return teams.map(({ name }) => name);
    }),

    getJiraProjects: route(contract.getJiraProjects, async ({ caller, request }) => {
      await requireDeployments(dependencies, caller, 'deployments.view');
      const teamName = pathPart(request, 'team');
      const { teams } = await directory.read();
      // Teams may differ only in spaces; then all of them match.
      const found = teams.filter(({ name }) => withoutSpaces(name) === withoutSpaces(teamName));
      if (found.length === 0) throw new NotFound(`There is no team ${shortenValue(teamName)}.`);
      return found.flatMap(({ projects }) => projects);
    }),

    getDeploymentApps: route(contract.getDeploymentApps, async ({ caller, input, signal }) => {
      await requireDeployments(dependencies, caller, 'deployments.view');
      const database = appDatabases.require(caller.environment, input.dataSource).withSignal(signal);
      return listAppsIn(caller, database, 'deployments.view');
    }),

    getSchedules: route(contract.getSchedules, async ({ caller, input }) => {
      await requireDeployments(dependencies, caller, 'deployments.view');
      const { name } = caller.environment;
      if (input?.limit !== undefined && input.limit <= maxShortList) return listSchedules(pool, name, input.limit);
      const schedules = await heavyWork.run(caller, (heavyPool) => listSchedules(heavyPool, name, input?.limit));
      return new RawJsonList(async (add) => {
        for (let at = 0; at < schedules.length; at += schedulesPerBatch)
          await add(schedules.slice(at, at + schedulesPerBatch).map((schedule) => JSON.stringify(schedule)));
      });
    }),

    mergeSchedule: route(contract.mergeSchedule, ({ caller, input, request }) => {
      const scheduleId = pathPart(request, 'scheduleId');
      return saveSchedule(dependencies, directory, caller, scheduleId === noSchedule ? null : scheduleId, input);
    }),

    resolveSchedule: route(contract.resolveSchedule, async ({ caller, input, request }) => {
      const scheduleId = pathPart(request, 'scheduleId');
      const { id } = await resolveSchedule(dependencies, caller, scheduleId, input?.expected);
      return { id, scheduleStatus: 'RESOLVED' as const };
    }),

    getScheduleHistory: route(contract.getScheduleHistory, async ({ caller, request }) => {
      const scheduleId = pathPart(request, 'scheduleId');
      await requireDeployments(dependencies, caller, 'deployments.view', scheduleId);
      const { id } = await requireSchedule(dependencies, caller, scheduleId);
      return listSaves(pool, id);
    }),

    findScheduleConflicts: route(contract.findScheduleConflicts, async ({ caller, input }) => {
      await requireDeployments(dependencies, caller, 'deployments.view');
      return findConflicts(pool, caller, input);
    }),

    getDeploymentSettings: route(contract.getDeploymentSettings, async ({ caller }) => {
      await requireDeployments(dependencies, caller, 'deployments.view');
      const { sourceControlPrefix } = config.deployments;
      return { sourceControlPrefix, timeZone: caller.environment.timeZone };
    }),

    getCalendarFeed: route(contract.getCalendarFeed, async ({ caller }) => {
      await requireDeployments(dependencies, caller, 'deployments.view');
      const feed = await findCallerFeed(dependencies, caller);
      return {
        createdAt: feed?.createdAt.toISOString() ?? null,
        lastReadAt: feed?.lastReadAt?.toISOString() ?? null,
      };
    }),

    createCalendarFeed: route(contract.createCalendarFeed, async ({ caller }) => {
      await requireDeployments(dependencies, caller, 'deployments.view');
      return createFeed(dependencies, caller);
    }),

    revokeCalendarFeed: route(contract.revokeCalendarFeed, async ({ caller }) => {
      await requireDeployments(dependencies, caller, 'deployments.view');
      await revokeFeed(dependencies, caller);
      return { revoked: true as const };
    }),
  };
}

function pathPart({ params }: FastifyRequest, name: string): string {
  return z.record(z.string(), z.string()).parse(params)[name] ?? '';
}

function withoutSpaces(name: string): string {
  return name.replaceAll(/\s/g, '');
}
