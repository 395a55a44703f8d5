import type { StatsContext } from '@portal/contract/db-spy';
import { useEffect, useRef } from 'react';
import { useSession } from '../../session/use-session.ts';
import { showProblem } from '../../ui/popups.ts';
import { useProblemPopup } from '../../ui/use-problem-popup.ts';
import type { StatsLoad } from './use-stats.ts';

/**
 * Whether the error is a missing prerequisite on the server, which the page already shows with its
 * fix.
 */
export function isMissingPrerequisite(error: Error | null, context: StatsContext | undefined): boolean {
  return error !== null && (context?.missing.some(({ message }) => error.message.includes(message)) ?? false);
}

/**
 * Reports missing statistics under the specified titles, unless the page explains them better.
 *
 * @param count of the statements; undefined until they are loaded
 * @param isNarrowed A filter or a time range applies, so an empty result is normal.
 */
export function useStatsProblems(
  { stats, context }: StatsLoad<unknown>,
  count: number | undefined,
  isNarrowed: boolean,
): void {
  const { session } = useSession();
  const { baseUrl } = session.environment;
  // Only the context knows whether there is a fix, so nothing is reported until it has loaded or
  // failed.
  const error = context.isPending || isMissingPrerequisite(stats.error, context.data) ? null : stats.error;
  useProblemPopup('Error getting stats!', { error, data: stats.data });
  // Do not report an empty result after there were statements, for example after a reset.
  const hadStatements = useRef(false);
  if (count !== undefined && count > 0) hadStatements.current = true;
  const isEmpty = count === 0 && !stats.isFetching && !isNarrowed;
  const shouldReport = isEmpty && !hadStatements.current && !context.isPending && !context.data?.missing.length;
  useEffect(() => {
    if (shouldReport) showProblem('No stats found!', `No postgres statement stats found on ${baseUrl}`);
  }, [shouldReport, baseUrl]);
}
