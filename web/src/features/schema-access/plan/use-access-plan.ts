import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CallProblem } from '../../../api/call-problem.ts';
import { showProblem, showSuccess } from '../../../ui/popups.ts';
import { type AccessResult, getHeadline } from '../grants/access-result.ts';
import { rolledBackActions } from '../rolled-back-actions.ts';
import { accessChanges } from '../use-schema-access.ts';
import type { AccessRequest } from './access-request.ts';

/**
 * Creates the plan of a request and runs the request. The plan is created once per dialog and again
 * only on demand, because each dry run briefly locks the schema.
 */
export function useAccessPlan(request: AccessRequest, onEnd: (result: AccessResult) => void) {
  const [refusal, setRefusal] = useState<CallProblem | null>(null);
  const plan = useQuery({
    // A separate query, because the request decides which endpoint creates the plan.
    queryKey: ['access-plan', ...request.key],
    queryFn: ({ signal }) => request.plan(signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const run = useMutation({
    mutationFn: async (reason: string) => {
      if (plan.data === undefined) throw new Error('The plan is not ready yet.');
      const response = await request.run({ expected: plan.data.fingerprint, ...(reason !== '' && { reason }) });
      return { ...response, plan: plan.data };
    },
    onSuccess: ({ plan: read, actions, grantId }) => {
      const result = { kind: 'done', request: request.kind, plan: read, actions, grantId: grantId ?? null } as const;
      showSuccess('Success', getHeadline(result));
      onEnd(result);
    },
    onError: async (problem) => {
      const actions = rolledBackActions(problem);
      // Nothing was run, because the plan is no longer the reviewed one. Show the new plan instead.
      if (problem instanceof CallProblem && problem.status === 409 && actions.length === 0) {
        setRefusal(problem);
        await plan.refetch();
        return;
      }
      showProblem(request.failureTitle, problem);
      onEnd({ kind: 'failed', title: request.failureTitle, problem, actions });
    },
    meta: { changes: accessChanges },
  });
  return {
    plan: plan.isFetching ? undefined : plan.data,
    isPlanning: plan.isFetching,
    /** Why the plan could not be created. */
    problem: plan.isFetching ? null : plan.error,
    /** Why the reviewed plan was rejected, if it was. */
    refusal,
    recreatePlan: () => void plan.refetch(),
    run: run.mutate,
    isRunning: run.isPending,
  };
}
