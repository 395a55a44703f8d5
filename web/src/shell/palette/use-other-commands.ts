import { getSchedules, type Schedule } from '@portal/contract/deployments';
import { canReachDeployments } from '@portal/contract/environments';
import { getRosterTeams } from '@portal/contract/support-roster';
import { listIntegrations } from '@portal/contract/sync';
import {
  deleteSyncDashboard,
  getSyncDashboards,
  type SyncDashboard,
  saveSyncDashboard,
} from '@portal/contract/sync-dashboards';
import type { SyncIntegration } from '@portal/contract/sync-integration';
import { useMemo } from 'react';
import { steadyMs, useCall } from '../../lib/use-call.ts';
import { useRefusal, useSession } from '../../session/use-session.ts';
import { integrationChanges, useSyncCall } from '../../shared/use-sync-call.ts';
import type { Command } from './commands.ts';

/** Those with the latest dates: what lies further back is looked for on the screen itself. */
const mostSchedules = 100;

/**
 * Deployments, support teams, sync integrations and their dashboards, each to be gone to by its
 * name. Asked for when something is looked for; while they are on their way, or away, the palette
 * finds everything else.
 */
export function useOtherCommands(isLooking: boolean): readonly Command[] {
  const { session } = useSession();
  const mayDeploy = useRefusal('deployments.view') === null && canReachDeployments(session.environment.name);
  const maySupport = useRefusal('roster.view') === null;
  const { data: schedules = none } = useCall(
    getSchedules,
    { limit: mostSchedules },
    {
      enabled: isLooking && mayDeploy,
      staleTime: steadyMs,
    },
  );
  const { data: teams = none } = useCall(getRosterTeams, undefined, {
    enabled: isLooking && maySupport,
    staleTime: steadyMs,
  });
  const environment = session.environment.name;
  const maySync = useRefusal('sync.view') === null;
  const { data: integrations = none } = useSyncCall(
    listIntegrations,
    { environment },
    {
      invalidatedBy: integrationChanges,
      enabled: isLooking && maySync,
      staleTime: steadyMs,
    },
  );
  const { data: dashboards = none } = useCall(getSyncDashboards, undefined, {
    invalidatedBy: [saveSyncDashboard, deleteSyncDashboard],
    enabled: isLooking && maySync,
    staleTime: steadyMs,
  });
  return useMemo(
    () => [
      ...schedules.filter(({ scheduleStatus }) => scheduleStatus === 'MERGE').map(commandOfSchedule),
      ...teams.map(commandOfTeam),
      ...integrations.map(commandOfIntegration),
      ...dashboards.map(commandOfDashboard),
    ],
    [schedules, teams, integrations, dashboards],
  );
}

const none: readonly never[] = [];

function commandOfSchedule({ id, releaseName, team, appNames, releaseGroup, jiraProject }: Schedule): Command {
  return {
    id: `deployment/${id}`,
    label: `Deployment · ${releaseName}`,
    detail: team,
    kind: 'other',
    to: '/deployments',
    search: { schedule: id },
    words: [team, jiraProject, releaseGroup, ...appNames].join(' '),
  };
}

function commandOfTeam(team: string): Command {
  return {
    id: `support-team/${team}`,
    label: `Support Roster · ${team}`,
    detail: 'Support team',
    kind: 'other',
    to: `/support-roster/${encodeURIComponent(team)}`,
    words: 'on call',
  };
}

function commandOfIntegration({ id, appName, status, journeyUserName }: SyncIntegration): Command {
  return {
    id: `integration/${id}`,
    label: `Sync · ${appName}`,
    detail: status,
    kind: 'other',
    to: '/sync',
    search: { info: id },
    words: `integration journey ${status} ${id} ${journeyUserName}`,
  };
}

function commandOfDashboard({ name }: SyncDashboard): Command {
  return {
    id: `sync-dashboard/${name}`,
    label: `Sync dashboard · ${name}`,
    detail: 'Sync dashboard',
    kind: 'other',
    to: `/sync-dashboard/${encodeURIComponent(name)}`,
    words: 'wallboard integrations',
  };
}
