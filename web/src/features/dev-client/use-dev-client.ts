import { getDevClient } from '@portal/contract/dev-client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { callKey, slowStaleTimeMs, useCall } from '../../api/use-call.ts';

/**
 * Loads the latest release. `checkAgain` makes the server query the repository, bypassing its
 * cache.
 */
export function useDevClient() {
  const queryClient = useQueryClient();
  const cached = useCall(getDevClient, undefined, { staleTime: slowStaleTimeMs });
  const refresh = useMutation({
    mutationFn: () => call(getDevClient, undefined, { fresh: true }),
    onSuccess: (client) => queryClient.setQueryData(callKey(getDevClient, undefined), client),
  });
  return {
    client: cached.data,
    problem: refresh.error ?? cached.error,
    isChecking: cached.isFetching || refresh.isPending,
    checkAgain: () => refresh.mutate(),
  };
}
