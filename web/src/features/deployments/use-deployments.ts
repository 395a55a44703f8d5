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
  type Outcome,
  resolveSchedule,
  revokeCalendarFeed,
  type Schedule,
} from '@portal/contract/deployments';
import { outcomeLabels } from '@portal/contract/deployments-fields';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { slowStaleTimeMs, useCall } from '../../api/use-call.ts';
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

/** Loads the projects of a team; idle while no team is chosen. */
export function useJiraProjects(team: string | null) {
  return useCall(getJiraProjects, undefined, {
    params: { team: (team ?? '').replaceAll(/\s/g, '') },
    enabled: team !== null,
    staleTime: slowStaleTimeMs,
  });
}

/**
 * Loads the apps that can be released from a data source. After a change of team or project, the
 * former apps stay until the response arrives.
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

/** Finds deployments that conflict with this one; idle while its apps or its date are missing. */
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

/** Loads the history of a schedule: who saved it, when and with which changes. */
export function useScheduleHistory(schedule: Schedule) {
  return useCall(getScheduleHistory, undefined, {
    params: { scheduleId: schedule.id },
    // Each save creates a revision, and with it a new history.
    version: schedule.revision,
    invalidatedBy: scheduleChanges,
  });
}

function merge(id: string | null, fields: MergeFields): Promise<Schedule> {
  return call(mergeSchedule, { ...fields, id, scheduleStatus: 'MERGE' }, { params: { scheduleId: id ?? 'null' } });
}

/** Saves a schedule, a new one where `id` is null; pending until the list has been reloaded. */
export function useMerge() {
  return useMutation({
    mutationFn: async ({ id, fields }: { id: string | null; fields: MergeFields }) => {
      const saved = await merge(id, fields);
      // A repeated save with the same request key returns the result of the first. Changes made
      // since then are saved on top of it.
      if (matchesPayload(saved, fields)) return saved;
      const { requestKey: _, ...changed } = fields;
      return merge(saved.id, { ...changed, expected: saved.revision });
    },
    meta: { changes: scheduleChanges },
  });
}

/** Resolves a schedule and reports the outcome in a popup. */
export function useResolve() {
  return useMutation({
    mutationFn: ({ schedule, outcome, note }: { schedule: Schedule; outcome: Outcome; note: string }) =>
      call(resolveSchedule, { expected: schedule.revision, outcome, note }, { params: { scheduleId: schedule.id } }),
    onSuccess: (_, { schedule, outcome }) =>
      showSuccess('Resolved', `${schedule.releaseName}: ${outcomeLabels[outcome].toLowerCase()}`),
    onError: (problem) => showProblem('Problem resolving Deployment Schedule.', problem),
    meta: { changes: scheduleChanges },
  });
}

/** Manages the user's own calendar feed. */
export function useCalendarFeed() {
  const changes = [createCalendarFeed, revokeCalendarFeed];
  // Calendars read the feed at any time, so the state is never cached.
  const state = useCall(getCalendarFeed, undefined, { invalidatedBy: changes, staleTime: 0 });
  const create = useMutation({
    mutationFn: () => call(createCalendarFeed, undefined),
    onError: (problem) => showProblem('Problem creating the calendar feed.', problem),
    meta: { changes },
  });
  const revoke = useMutation({
    mutationFn: () => call(revokeCalendarFeed, undefined),
    onSuccess: () => {
      create.reset();
      showSuccess('Revoked', 'The address of the feed is no longer valid.');
    },
    onError: (problem) => showProblem('Problem revoking the calendar feed.', problem),
    meta: { changes },
  });
  return { state, create, revoke };
}
