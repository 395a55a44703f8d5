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
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { useSession } from '../../session/use-session.ts';
import { showProblem, showSuccess } from '../../ui/popups.ts';
import { deploymentsKey } from './schedule/use-schedules.ts';
import { isAsSent, type MergeFields } from './wizard/draft.ts';

const feedKey = [...deploymentsKey, 'feed'] as const;

/** Teams, projects and apps change with releases, not while one fills in a form. */
const steadyMs = 60_000;

export function useDeploymentSettings() {
  return useQuery({
    queryKey: [...deploymentsKey, 'settings'],
    queryFn: ({ signal }) => call(getDeploymentSettings, undefined, { signal }),
    staleTime: steadyMs,
  });
}

export function useDeploymentTeams() {
  return useQuery({
    queryKey: ['deployment-teams'],
    queryFn: ({ signal }) => call(getDeploymentTeams, undefined, { signal }),
    staleTime: steadyMs,
  });
}

/** The projects of a team; nothing is asked while none is chosen. */
export function useJiraProjects(team: string | null) {
  return useQuery({
    queryKey: ['jira-projects', team],
    queryFn: ({ signal }) =>
      call(getJiraProjects, undefined, { signal, params: { team: (team ?? '').replaceAll(/\s/g, '') } }),
    enabled: team !== null,
    staleTime: steadyMs,
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
  return useQuery({
    queryKey: ['deployment-apps', dataSource, team, jiraProject],
    queryFn: ({ signal }) =>
      call(
        getDeploymentApps,
        {
          environment: session.environment.name,
          dataSource: dataSource ?? '',
          ...(team !== null && { team }),
          ...(jiraProject !== null && { jiraProject }),
        },
        { signal },
      ),
    enabled: dataSource !== null,
    staleTime: steadyMs,
    placeholderData: (former, query) => (query?.queryKey[1] === dataSource ? former : undefined),
  });
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
  const deploymentDate = at?.toISOString() ?? '';
  return useQuery({
    queryKey: [...deploymentsKey, 'conflicts', id, dataSource, appIds, deploymentDate],
    queryFn: ({ signal }) =>
      call(
        findScheduleConflicts,
        {
          environment: session.environment.name,
          id,
          dataSource: dataSource ?? '',
          appIds: [...appIds],
          deploymentDate,
        },
        { signal },
      ),
    enabled: dataSource !== null && appIds.length > 0 && at !== null,
  });
}

export type ConflictsLoad = ReturnType<typeof useScheduleConflicts>;

/** Who saved a schedule, when, and what they changed. */
export function useScheduleHistory(schedule: Schedule) {
  return useQuery({
    // Each save makes another revision, and so another history.
    queryKey: [...deploymentsKey, 'history', schedule.id, schedule.revision],
    queryFn: ({ signal }) => call(getScheduleHistory, undefined, { signal, params: { scheduleId: schedule.id } }),
  });
}

function merge(id: string | null, fields: MergeFields): Promise<Schedule> {
  return call(mergeSchedule, { ...fields, id, scheduleStatus: 'MERGE' }, { params: { scheduleId: id ?? 'null' } });
}

/** Saves a schedule, new where `id` is null; pending until the list has been loaded again. */
export function useMerge() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, fields }: { id: string | null; fields: MergeFields }) => {
      const saved = await merge(id, fields);
      // A save that was sent before and got no answer is answered as it was then: what was changed
      // since is saved after it.
      if (isAsSent(saved, fields)) return saved;
      const { requestKey: _, ...changed } = fields;
      return merge(saved.id, { ...changed, expected: saved.revision });
    },
    onSettled: () => client.invalidateQueries({ queryKey: deploymentsKey }),
  });
}

/** Ends a schedule; the user is told either way. */
export function useResolve() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, revision }: Schedule) =>
      call(resolveSchedule, { expected: revision }, { params: { scheduleId: id } }),
    onSuccess: (_, { releaseName }) => showSuccess('Resolved', releaseName),
    onError: (problem) => showProblem('Problem resolving Deployment Schedule.', problem),
    onSettled: () => client.invalidateQueries({ queryKey: deploymentsKey }),
  });
}

/** The caller's own calendar feed. */
export function useCalendarFeed() {
  const client = useQueryClient();
  const again = () => client.invalidateQueries({ queryKey: feedKey });
  const state = useQuery({
    queryKey: feedKey,
    queryFn: ({ signal }) => call(getCalendarFeed, undefined, { signal }),
    // Calendars read it by themselves.
    staleTime: 0,
  });
  const create = useMutation({
    mutationFn: () => call(createCalendarFeed, undefined),
    onError: (problem) => showProblem('Problem making the calendar feed.', problem),
    onSettled: again,
  });
  const revoke = useMutation({
    mutationFn: () => call(revokeCalendarFeed, undefined),
    onSuccess: () => {
      create.reset();
      showSuccess('Revoked', 'The address of the feed no longer answers.');
    },
    onError: (problem) => showProblem('Problem revoking the calendar feed.', problem),
    onSettled: again,
  });
  return { state, create, revoke };
}
