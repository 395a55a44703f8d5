import { listIntegrations } from '@portal/contract/sync';
import {
  dashboardTexts,
  deleteSyncDashboard,
  getSyncDashboard,
  getSyncDashboards,
  type SyncDashboard,
  saveSyncDashboard,
} from '@portal/contract/sync-dashboards';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { callSync } from '../../lib/call-sync.ts';
import { useSession } from '../../session/use-session.ts';
import { showProblem, showSuccess } from '../../ui/popups.ts';

/** What begins with it is asked for again after each change. */
const dashboardsKey = ['sync-dashboards'] as const;

export function useDashboards(isAllowed: boolean) {
  return useQuery({
    queryKey: [...dashboardsKey, 'list'],
    queryFn: ({ signal }) => call(getSyncDashboards, undefined, { signal }),
    enabled: isAllowed,
    refetchOnWindowFocus: 'always',
  });
}

/** The dashboard's integrations. When they are asked for again is decided by who shows them. */
export function useDashboardResults(name: string, isAllowed: boolean) {
  return useQuery({
    queryKey: [...dashboardsKey, 'results', name],
    queryFn: ({ signal }) => call(getSyncDashboard, undefined, { signal, params: { name } }),
    enabled: isAllowed,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

export type ResultsLoad = ReturnType<typeof useDashboardResults>;

/** The integrations a dashboard may be made of. */
export function usePickableIntegrations(isAsked: boolean) {
  const environment = useSession().session.environment.name;
  return useQuery({
    queryKey: [...dashboardsKey, 'pickable'],
    queryFn: ({ signal }) => callSync(environment, listIntegrations, { environment }, { signal }),
    enabled: isAsked,
  });
}

/** Creates a dashboard or changes one; the user is told either way. */
export function useSaveDashboard() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (wish: SyncDashboard & ({ isNew: true } | { before: string[] })) => call(saveSyncDashboard, wish),
    onSuccess: ({ name }) => showSuccess(dashboardTexts.saved, name),
    onError: (problem) => showProblem(dashboardTexts.saving, problem),
    onSettled: () => client.invalidateQueries({ queryKey: dashboardsKey }),
  });
}

/** What keeps a new dashboard from having that name, in words; null when nothing does. */
export function nameProblem(name: string, others: readonly SyncDashboard[]): string | null {
  const trimmed = name.trim();
  if (trimmed === '') return 'Please enter a dashboard name';
  return others.some((other) => other.name === trimmed) ? dashboardTexts.nameTaken(trimmed) : null;
}

export function useDeleteDashboard() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => call(deleteSyncDashboard, undefined, { params: { name } }),
    onSuccess: ({ deleted }) => showSuccess(dashboardTexts.deleted, deleted),
    onError: (problem) => showProblem(dashboardTexts.deleting, problem),
    onSettled: () => client.invalidateQueries({ queryKey: dashboardsKey }),
  });
}
