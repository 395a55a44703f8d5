import type { StatsContext } from '@portal/contract/db-spy';
import { useEffect, useRef } from 'react';
import { useSession } from '../../session/use-session.ts';
import { showProblem } from '../../ui/popups.ts';
import { useProblemPopup } from '../../ui/use-problem-popup.ts';
import type { StatsLoad } from './use-stats.ts';

/**
 * Whether the failure is that something is missing on the server, which stands on the page with its
 * remedy.
 */
export function isMissingPrerequisite(error: Error | null, context: StatsContext | undefined): boolean {
  return error !== null && (context?.missing.some(({ message }) => error.message.includes(message)) ?? false);
}

/**
 * Says under the specified titles that there are no statistics, where nothing on the page says it
 * better. `isNarrowed`: only some statements or some time are asked about, so that none of them is
 * no trouble.
 */
export function useStatsProblems({ stats, context }: StatsLoad, isNarrowed: boolean): void {
  const { session } = useSession();
  const { baseUrl } = session.environment;
  // Only the context knows whether there is a remedy: until it is there, or has failed too, nothing
  // is said.
  const error = context.isPending || isMissingPrerequisite(stats.error, context.data) ? null : stats.error;
  useProblemPopup('Error getting stats!', { error, data: stats.data });
  // Who saw statements and then none, after a reset say, sees that there are none.
  const hadStatements = useRef(false);
  if (stats.data && stats.data.length > 0) hadStatements.current = true;
  const isEmpty = stats.data?.length === 0 && !stats.isFetching && !isNarrowed;
  const shouldReport = isEmpty && !hadStatements.current && !context.isPending && !context.data?.missing.length;
  useEffect(() => {
    if (shouldReport) showProblem('No stats found!', `No postgres statement stats found on ${baseUrl}`);
  }, [shouldReport, baseUrl]);
}
