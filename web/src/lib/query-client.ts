import { MutationCache, QueryClient } from '@tanstack/react-query';
import { CallProblem } from './call-problem.ts';
import { invalidateAfter } from './use-call.ts';

/** Worth a second try at once: the portal or something before it was away for a moment. */
const passing: ReadonlySet<number> = new Set([0, 503]);

export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    mutationCache: new MutationCache({
      // Awaited: a change stays pending until the page shows what it has led to, whether it
      // succeeded or not.
      onSettled: (_data, _problem, _variables, _result, { meta }) => meta && invalidateAfter(client, meta.changes),
    }),
    defaultOptions: {
      queries: {
        // The page asks even where the browser thinks it is offline: a portal on this machine is
        // still there.
        networkMode: 'always',
        retry: (failures, problem) => failures < 1 && problem instanceof CallProblem && passing.has(problem.status),
        staleTime: 10_000,
      },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}
