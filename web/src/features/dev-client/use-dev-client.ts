import { getDevClient } from '@portal/contract/dev-client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { callKey, steadyMs, useCall } from '../../lib/use-call.ts';

/** The newest release; `askAgain` has the repository asked anew, past what the server keeps. */
export function useDevClient() {
  const queryClient = useQueryClient();
  const known = useCall(getDevClient, undefined, { staleTime: steadyMs });
  const again = useMutation({
    mutationFn: () => call(getDevClient, undefined, { fresh: true }),
    onSuccess: (client) => queryClient.setQueryData(callKey(getDevClient, undefined), client),
  });
  return {
    client: known.data,
    problem: again.error ?? known.error,
    isAsking: known.isFetching || again.isPending,
    askAgain: () => again.mutate(),
  };
}
