import {
  createCalendarFeed,
  findScheduleConflicts,
  getCalendarFeed,
  getDeploymentApps,
  getDeploymentSettings,
  getDeploymentTeams,
  getJiraProjects,
  getScheduleHistory,
  mergeSchedule,
  resolveSchedule,
  revokeCalendarFeed,
  type Schedule,
} from '@portal/contract/deployments';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { slowStaleTimeMs, useCall } from '../../lib/use-call.ts';
import { useSession } from '../../session/use-session.ts';
import { showProblem, showSuccess } from '../../ui/popups.ts';
import { scheduleChanges } from './schedule/use-schedules.ts';
import { type MergeFields, matchesPayload } from './wizard/draft.ts';

export function useDeploymentSettings() {
  return useCall(getDeploymentSettings, undefined, { staleTime: slowStaleTimeMs });
}

export function useDeploymentTeams() {
  return useCall(getDeploymentTeams, undefined, { staleTime: slowStaleTimeMs });
}

/** The projects of a team; nothing is asked while none is chosen. */
export function useJiraProjects(team: string | null) {
  return useCall(getJiraProjects, undefined, {
    params: { team: (team ?? '').replaceAll(/\s/g, '') },
    enabled: team !== null,
    staleTime: slowStaleTimeMs,
  });
}

/**
 * The apps that can be released from a data source. Another team or project keeps those that are
 * shown until the answer.
 */
export function useDeploymentApps(about: {
  dataSource: string | null;
  team: string | null;
  jiraProject: string | null;
}) {
  const { session } = useSession();
  const { dataSource, team, jiraProject } = about;
  return useCall(
    getDeploymentApps,
    {
      environment: session.environment.name,
      dataSource: dataSource ?? '',
      ...(team !== null && { team }),
      ...(jiraProject !== null && { jiraProject }),
    },
    { placeholderScope: dataSource, enabled: dataSource !== null, staleTime: slowStaleTimeMs },
  );
}

export type DeploymentAppsLoad = ReturnType<typeof useDeploymentApps>;

/** What is in the way of a deployment; nothing is asked while its apps or its date are missing. */
export function useScheduleConflicts(about: {
  id: string | null;
  dataSource: string | null;
  appIds: readonly string[];
  at: Date | null;
}) {
  const { session } = useSession();
  const { id, dataSource, appIds, at } = about;
  return useCall(
    findScheduleConflicts,
    {
      environment: session.environment.name,
      id,
      dataSource: dataSource ?? '',
      appIds: [...appIds],
      deploymentDate: at?.toISOString() ?? '',
    },
    {
      invalidatedBy: scheduleChanges,
      enabled: dataSource !== null && appIds.length > 0 && at !== null,
    },
  );
}

export type ConflictsLoad = ReturnType<typeof useScheduleConflicts>;

/** Who saved a schedule, when, and what they changed. */
export function useScheduleHistory(schedule: Schedule) {
  return useCall(getScheduleHistory, undefined, {
    params: { scheduleId: schedule.id },
    // Each save makes another revision, and so another history.
    version: schedule.revision,
    invalidatedBy: scheduleChanges,
  });
}

function merge(id: string | null, fields: MergeFields): Promise<Schedule> {
  return call(mergeSchedule, { ...fields, id, scheduleStatus: 'MERGE' }, { params: { scheduleId: id ?? 'null' } });
}

/** Saves a schedule, new where `id` is null; pending until the list has been loaded again. */
export function useMerge() {
  return useMutation({
    mutationFn: async ({ id, fields }: { id: string | null; fields: MergeFields }) => {
      const saved = await merge(id, fields);
      // A save that was sent before and got no answer is answered as it was then: what was changed
      // since is saved after it.
      if (matchesPayload(saved, fields)) return saved;
      const { requestKey: _, ...changed } = fields;
      return merge(saved.id, { ...changed, expected: saved.revision });
    },
    meta: { changes: scheduleChanges },
  });
}

/** Ends a schedule; the user is told either way. */
export function useResolve() {
  return useMutation({
    mutationFn: ({ id, revision }: Schedule) =>
      call(resolveSchedule, { expected: revision }, { params: { scheduleId: id } }),
    onSuccess: (_, { releaseName }) => showSuccess('Resolved', releaseName),
    onError: (problem) => showProblem('Problem resolving Deployment Schedule.', problem),
    meta: { changes: scheduleChanges },
  });
}

/** The caller's own calendar feed. */
export function useCalendarFeed() {
  const changes = [createCalendarFeed, revokeCalendarFeed];
  // Calendars read it by themselves.
  const state = useCall(getCalendarFeed, undefined, { invalidatedBy: changes, staleTime: 0 });
  const create = useMutation({
    mutationFn: () => call(createCalendarFeed, undefined),
    onError: (problem) => showProblem('Problem making the calendar feed.', problem),
    meta: { changes },
  });
  const revoke = useMutation({
    mutationFn: () => call(revokeCalendarFeed, undefined),
    onSuccess: () => {
      create.reset();
      showSuccess('Revoked', 'The address of the feed no longer answers.');
    },
    onError: (problem) => showProblem('Problem revoking the calendar feed.', problem),
    meta: { changes },
  });
  return { state, create, revoke };
}
