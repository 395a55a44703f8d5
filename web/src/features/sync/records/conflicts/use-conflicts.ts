import type { RequestOf, ResponseOf } from '@portal/contract/endpoint';
import { getSyncBase, withBase } from '@portal/contract/sync/base';
import {
  type ConflictField,
  getConflictFile,
  getConflicts,
  restoreConflictFile,
  reviewConflicts,
} from '@portal/contract/sync/conflicts';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { formatPlural } from '../../../../format/numbers.ts';
import { callSync } from '../../../../sync/call-sync.ts';
import { integrationChanges, useSyncCall } from '../../../../sync/use-sync-call.ts';
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
type ReviewResult = Pick<ResponseOf<typeof reviewConflicts>, 'reviewed' | 'refused' | 'next'>;

interface Reviewed {
  readonly reviewed: number;
  /** Why conflicts were refused, one reason for each. */
  readonly reasons: readonly string[];
  /** Whether it was stopped before the last call. */
  readonly isStopped: boolean;
}

/** Makes as many calls as a review takes, one after another, until it is stopped. */
export async function reviewAll(
  call: (after: string | null) => Promise<ReviewResult>,
  { signal, onReviewed }: { readonly signal: AbortSignal; readonly onReviewed: (count: number) => void },
): Promise<Reviewed> {
  let reviewed = 0;
  const reasons: string[] = [];
  for (let after: string | null = null; ; ) {
    const result = await call(after);
    reviewed += result.reviewed;
    reasons.push(...result.refused.map(({ reason }) => reason));
    onReviewed(reviewed);
    after = result.next;
    if (after === null || signal.aborted) return { reviewed, reasons, isStopped: after !== null };
  }
}

/**
 * Reviews all conflicts of a request, counts those that are done, and reports those that were
 * refused.
 */
export function useReviewConflicts() {
  const environment = useEnvironmentName();
  const [reviewed, setReviewed] = useState(0);
  const controller = useRef<AbortController>(null);
  const mutation = useMutation({
    mutationFn: (review: Review) => {
      controller.current = new AbortController();
      setReviewed(0);
      return reviewAll(
        (after) => callSync(environment, reviewConflicts, { ...review, ...(after !== null && { after }) }),
        { signal: controller.current.signal, onReviewed: setReviewed },
      );
    },
    onSuccess: ({ reviewed, reasons, isStopped }) => {
      const title = 'Review conflicts';
      const done = `${formatPlural(reviewed, 'conflict')} reviewed.${isStopped ? ' The rest is left as it was.' : ''}`;
      if (reasons.length === 0) showSuccess(title, done);
      else showProblem(title, new Error(describeRefused(reviewed === 0 && !isStopped ? [] : [done], reasons)));
    },
    onError: (problem) => showProblem('Review conflicts', problem),
    meta: { changes: integrationChanges },
  });
  return { ...mutation, reviewed, stop: () => controller.current?.abort() };
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
