import {
  dashboardTexts,
  deleteSyncDashboard,
  getSyncDashboard,
  getSyncDashboards,
  type SyncDashboard,
  saveSyncDashboard,
} from '@portal/contract/sync/dashboards';
import { listIntegrations } from '@portal/contract/sync/integration';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { useCall } from '../../api/use-call.ts';
import { useSession } from '../../session/use-session.ts';
import { integrationChanges, useSyncCall } from '../../sync/use-sync-call.ts';
import { showProblem, showSuccess } from '../../ui/popups.ts';

const dashboardChanges = [saveSyncDashboard, deleteSyncDashboard];

export function useDashboards(isAllowed: boolean) {
  return useCall(getSyncDashboards, undefined, {
    invalidatedBy: dashboardChanges,
    enabled: isAllowed,
    refetchOnWindowFocus: 'always',
  });
}

/** Loads the integrations of a dashboard. The component that shows them controls the refreshes. */
export function useDashboardResults(name: string, isAllowed: boolean) {
  return useCall(getSyncDashboard, undefined, {
    params: { name },
    invalidatedBy: [...dashboardChanges, 'MERGE'],
    enabled: isAllowed,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

export type ResultsLoad = ReturnType<typeof useDashboardResults>;

/** Loads the integrations that can be part of a dashboard. */
export function usePickableIntegrations(isAllowed: boolean) {
  const environment = useSession().session.environment.name;
  return useSyncCall(listIntegrations, { environment }, { enabled: isAllowed, invalidatedBy: integrationChanges });
}

/** Creates or changes a dashboard, and reports the outcome in a popup. */
export function useSaveDashboard() {
  return useMutation({
    mutationFn: (dashboard: Omit<SyncDashboard, 'refusal'> & ({ isNew: true } | { before: string[] })) =>
      call(saveSyncDashboard, dashboard),
    onSuccess: ({ name }) => showSuccess(dashboardTexts.saved, name),
    onError: (problem) => showProblem(dashboardTexts.saving, problem),
    meta: { changes: dashboardChanges },
  });
}

/** Returns why a new dashboard cannot have the name; null when it can. */
export function findNameError(name: string, others: readonly SyncDashboard[]): string | null {
  const trimmed = name.trim();
  if (trimmed === '') return 'Please enter a dashboard name';
  return others.some((other) => other.name === trimmed) ? dashboardTexts.nameTaken(trimmed) : null;
}

export function useDeleteDashboard() {
  return useMutation({
    mutationFn: (name: string) => call(deleteSyncDashboard, undefined, { params: { name } }),
    onSuccess: ({ deleted }) => showSuccess(dashboardTexts.deleted, deleted),
    onError: (problem) => showProblem(dashboardTexts.deleting, problem),
    meta: { changes: dashboardChanges },
  });
}
