import { getSchedules, mergeSchedule, resolveSchedule } from '@portal/contract/deployments';
import { canReachDeployments } from '@portal/contract/environments';
import { type ActivitySpan, getActivity, listActivity } from '@portal/contract/sync/activity';
import { useCall } from '../../../api/use-call.ts';
import { useRefusal, useSession } from '../../../session/use-session.ts';
import { getListRefreshMs } from '../../../sync/list-refresh.ts';
import { useSyncCall } from '../../../sync/use-sync-call.ts';

/** The service stores new figures this often. */
const refreshMs = 15_000;

/** Loads the last day of all integrations: of many, less often. */
export function useListedActivity({ isAllowed, count }: { isAllowed: boolean; count: number }) {
  return useSyncCall(listActivity, undefined, {
    refetchInterval: Math.max(refreshMs, 4 * getListRefreshMs(count)),
    enabled: isAllowed && count > 0,
  });
}

export function useActivity(appId: string, span: ActivitySpan) {
  return useSyncCall(getActivity, { span }, { params: { appId }, refetchInterval: refreshMs, staleTime: 0 });
}

/** Loads the deployments since `from` (ISO), if the user may see them in this environment. */
export function useDeploymentsSince(from: string | null) {
  const { session } = useSession();
  const isAllowed = useRefusal('deployments.view') === null && canReachDeployments(session.environment.name);
  return useCall(getSchedules, from === null ? undefined : { from }, {
    invalidatedBy: [mergeSchedule, resolveSchedule],
    enabled: isAllowed && from !== null,
  });
}
