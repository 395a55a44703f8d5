import { getDevClient } from '@portal/contract/dev-client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';

const queryKey = ['dev-client'];

/** The newest release; `askAgain` has the repository asked anew, past what the server keeps. */
export function useDevClient() {
  const queryClient = useQueryClient();
  const known = useQuery({
    queryKey,
    queryFn: ({ signal }) => call(getDevClient, undefined, { signal }),
    staleTime: 60_000,
  });
  const again = useMutation({
    mutationFn: () => call(getDevClient, undefined, { fresh: true }),
    onSuccess: (client) => queryClient.setQueryData(queryKey, client),
  });
  return {
    client: known.data,
    problem: again.error ?? known.error,
    isAsking: known.isFetching || again.isPending,
    askAgain: () => again.mutate(),
  };
}
