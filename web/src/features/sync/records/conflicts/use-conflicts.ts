import type { RequestOf, ResponseOf } from '@portal/contract/endpoint';
import { getSyncBase, withBase } from '@portal/contract/sync-base';
import {
  type ConflictField,
  getConflictFile,
  getConflicts,
  restoreConflictFile,
  reviewConflicts,
} from '@portal/contract/sync-conflicts';
import { useMutation } from '@tanstack/react-query';
import { callSync } from '../../../../lib/call-sync.ts';
import { formatPlural } from '../../../../lib/format.ts';
import { integrationChanges, useSyncCall } from '../../../../shared/use-sync-call.ts';
import { showProblem, showSuccess } from '../../../../ui/popups.ts';
import { recordsRefreshMs } from '../../refresh-intervals.ts';
import { useEnvironmentName, useIntegrationAction } from '../../use-integration-action.ts';
import { maxRecords } from '../use-records.ts';

export interface ShownConflicts {
  readonly showsReviewed: boolean;
  /** null for those of all fields */
  readonly field: ConflictField | null;
}

export function useConflicts(appId: string, { showsReviewed, field }: ShownConflicts) {
  const filter = field && { table: field.table, column: field.column ?? '' };
  return useSyncCall(
    getConflicts,
    { limit: maxRecords, ...(!showsReviewed && { reviewed: 'no' as const }), ...filter },
    { params: { appId }, invalidatedBy: integrationChanges, refetchInterval: recordsRefreshMs },
  );
}

type Review = Omit<RequestOf<typeof reviewConflicts>, 'after'>;

/** Reviews all conflicts of a request, with as many calls as it takes, and reports those that were refused. */
export function useReviewConflicts() {
  const environment = useEnvironmentName();
  return useMutation({
    mutationFn: async (review: Review) => {
      const results: ResponseOf<typeof reviewConflicts>[] = [];
      for (let after: string | null | undefined; after !== null; after = results.at(-1)?.next ?? null)
        results.push(await callSync(environment, reviewConflicts, { ...review, ...(after && { after }) }));
      return results;
    },
    onSuccess: (results) => {
      const reviewed = results.reduce((sum, result) => sum + result.reviewed, 0);
      const reasons = results.flatMap(({ refused }) => refused.map(({ reason }) => reason));
      const title = 'Review conflicts';
      const done = `${formatPlural(reviewed, 'conflict')} reviewed.`;
      if (reasons.length === 0) showSuccess(title, done);
      else showProblem(title, new Error(describeRefused(reviewed === 0 ? [] : [done], reasons)));
    },
    onError: (problem) => showProblem('Review conflicts', problem),
    meta: { changes: integrationChanges },
  });
}

/** Returns what was done, and how many conflicts were left for each reason. */
export function describeRefused(done: readonly string[], reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const left = [...counts].map(([reason, count]) =>
    reasons.length === 1 ? reason : `${formatPlural(count, 'conflict')} left: ${reason}`,
  );
  return [...done, ...left].join(' ');
}

export function useRestoreFile() {
  return useIntegrationAction(
    'Restore',
    (environment, request: RequestOf<typeof restoreConflictFile>) =>
      callSync(environment, restoreConflictFile, request),
    ({ message }) => message,
  );
}

/** Returns the address at which a browser downloads a file that lost a conflict. */
export function useConflictFileAddress(appId: string): (no: string) => string {
  const { path } = withBase(getSyncBase(useEnvironmentName()), getConflictFile);
  return (no) => `${path.replace(':appId', encodeURIComponent(appId))}?no=${encodeURIComponent(no)}`;
}
