import { getSchedules, type Schedule } from '@portal/contract/deployments';
import { canReachDeployments } from '@portal/contract/environments';
import { getOnCall, getRosterTeams, type OnCall } from '@portal/contract/support-roster';
import {
  deleteSyncDashboard,
  getSyncDashboards,
  type SyncDashboard,
  saveSyncDashboard,
} from '@portal/contract/sync/dashboards';
import { listIntegrations, type SyncIntegration } from '@portal/contract/sync/integration';
import { useMemo } from 'react';
import { slowStaleTimeMs, useCall } from '../../api/use-call.ts';
import { useRefusal, useSession } from '../../session/use-session.ts';
import { integrationChanges, useSyncCall } from '../../sync/use-sync-call.ts';
import type { Command } from './commands.ts';
import { findRecordCommands, findStatementCommands } from './search-commands.ts';

/** Only the schedules with the latest dates; older ones are found on the Deployments screen. */
const maxSchedules = 100;

/**
 * Returns commands for deployments, support teams, sync integrations and their records, dashboards
 * and statements. Loads the data on the first search. While it is loading or unavailable, the
 * palette shows all other commands.
 */
export function useOtherCommands(search: string): readonly Command[] {
  const isSearching = search.trim() !== '';
  const { session } = useSession();
  const canDeploy = useRefusal('deployments.view') === null && canReachDeployments(session.environment.name);
  const canViewRoster = useRefusal('roster.view') === null;
  const { data: schedules = none } = useCall(
    getSchedules,
    { limit: maxSchedules },
    {
      enabled: isSearching && canDeploy,
      staleTime: slowStaleTimeMs,
    },
  );
  const { data: teams = none } = useCall(getRosterTeams, undefined, {
    enabled: isSearching && canViewRoster,
    staleTime: slowStaleTimeMs,
  });
  const { data: onCall = none } = useCall(
    getOnCall,
    {},
    { enabled: isSearching && canViewRoster, staleTime: slowStaleTimeMs },
  );
  const { name: environment, dataSources } = session.environment;
  const canViewStatements = useRefusal('statistics.view') === null;
  const canViewSync = useRefusal('sync.view') === null;
  const { data: integrations = none } = useSyncCall(
    listIntegrations,
    { environment },
    {
      invalidatedBy: integrationChanges,
      enabled: isSearching && canViewSync,
      staleTime: slowStaleTimeMs,
    },
  );
  const { data: dashboards = none } = useCall(getSyncDashboards, undefined, {
    invalidatedBy: [saveSyncDashboard, deleteSyncDashboard],
    enabled: isSearching && canViewSync,
    staleTime: slowStaleTimeMs,
  });
  return useMemo(
    () => [
      ...schedules.filter(({ scheduleStatus }) => scheduleStatus === 'MERGE').map(toScheduleCommand),
      ...teams.map(toTeamCommand),
      ...onCall.flatMap(toPersonCommands),
      ...integrations.map(toIntegrationCommand),
      ...findRecordCommands(search, integrations),
      ...dashboards.map(toDashboardCommand),
      ...(canViewStatements ? findStatementCommands(search, dataSources) : []),
    ],
    [schedules, teams, onCall, integrations, dashboards, search, canViewStatements, dataSources],
  );
}

const none: readonly never[] = [];

function toScheduleCommand({ id, releaseName, team, appNames, releaseGroup, jiraProject }: Schedule): Command {
  return {
    id: `deployment/${id}`,
    label: `Deployment · ${releaseName}`,
    detail: team,
    kind: 'other',
    to: `/deployments/${encodeURIComponent(id)}`,
    keywords: [team, jiraProject, releaseGroup, ...appNames].join(' '),
  };
}

function toTeamCommand(team: string): Command {
  return {
    id: `support-team/${team}`,
    label: `Support Roster · ${team}`,
    detail: 'Support team',
    kind: 'other',
    to: `/support-roster/${encodeURIComponent(team)}`,
    keywords: 'on call',
  };
}

/** Returns a command for each person who is on call now. */
function toPersonCommands({ team, now }: OnCall): Command[] {
  return now.map(({ name }) => ({
    id: `on-call/${team}/${name}`,
    label: `On call · ${name}`,
    detail: team,
    kind: 'other',
    to: `/support-roster/${encodeURIComponent(team)}`,
    keywords: `support ${team}`,
  }));
}

function toIntegrationCommand({ id, appName, status, journeyUserName }: SyncIntegration): Command {
  return {
    id: `integration/${id}`,
    label: `Sync · ${appName}`,
    detail: status,
    kind: 'other',
    to: '/sync',
    search: { info: id },
    keywords: `integration journey ${status} ${id} ${journeyUserName}`,
  };
}

function toDashboardCommand({ name }: SyncDashboard): Command {
  return {
    id: `sync-dashboard/${name}`,
    label: `Sync dashboard · ${name}`,
    detail: 'Sync dashboard',
    kind: 'other',
    to: `/sync-dashboard/${encodeURIComponent(name)}`,
    keywords: 'wallboard integrations',
  };
}
