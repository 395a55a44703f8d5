import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CallProblem } from '../../../lib/call-problem.ts';
import { showProblem, showSuccess } from '../../../ui/popups.ts';
import { type AccessResult, headlineOf } from '../grants/access-result.ts';
import { rolledBackActions } from '../rolled-back-actions.ts';
import { accessChanges } from '../use-schema-access.ts';
import type { AccessAct } from './access-act.ts';

/**
 * The plan of an act, and the act itself. The plan is made once per dialog and only anew where it
 * is asked for: each one is a dry run that locks the schema for a moment.
 */
export function useAccessPlan(act: AccessAct, onEnd: (result: AccessResult) => void) {
  const [refused, setRefused] = useState<CallProblem | null>(null);
  const plan = useQuery({
    // Its own, for which endpoint plans is the act's to know.
    queryKey: ['access-plan', ...act.key],
    queryFn: ({ signal }) => act.plan(signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const run = useMutation({
    mutationFn: async (reason: string) => {
      if (plan.data === undefined) throw new Error('There is no plan yet.');
      const answer = await act.run({ expected: plan.data.fingerprint, ...(reason !== '' && { reason }) });
      return { ...answer, plan: plan.data };
    },
    onSuccess: ({ plan: read, actions, grantId }) => {
      const result = { kind: 'done', act: act.kind, plan: read, actions, grantId: grantId ?? null } as const;
      showSuccess('Success', headlineOf(result));
      onEnd(result);
    },
    onError: async (problem) => {
      const actions = rolledBackActions(problem);
      // Nothing was tried, because it would be another plan than the one that was read: that one is
      // shown instead.
      if (problem instanceof CallProblem && problem.status === 409 && actions.length === 0) {
        setRefused(problem);
        await plan.refetch();
        return;
      }
      showProblem(act.failure, problem);
      onEnd({ kind: 'failed', title: act.failure, problem, actions });
    },
    meta: { changes: accessChanges },
  });
  return {
    plan: plan.isFetching ? undefined : plan.data,
    isPlanning: plan.isFetching,
    /** Why there is no plan. */
    problem: plan.isFetching ? null : plan.error,
    /** Why the plan read before was refused, once that happened. */
    refused,
    planAgain: () => void plan.refetch(),
    run: run.mutate,
    isRunning: run.isPending,
  };
}
