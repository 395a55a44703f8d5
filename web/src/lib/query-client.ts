import { MutationCache, QueryClient } from '@tanstack/react-query';
import { CallProblem } from './call-problem.ts';
import { invalidateAfter } from './use-call.ts';

/** Statuses worth one immediate retry: the portal or a proxy was briefly unavailable. */
const transientStatuses: ReadonlySet<number> = new Set([0, 503]);

export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    mutationCache: new MutationCache({
      // Awaited, so that a change stays pending until the page shows its effect, whether it
      // succeeded or not.
      onSettled: (_data, _problem, _variables, _result, { meta }) => meta && invalidateAfter(client, meta.changes),
    }),
    defaultOptions: {
      queries: {
        // Sends requests even when the browser reports being offline: a portal on this machine is
        // still reachable.
        networkMode: 'always',
        retry: (failures, problem) =>
          failures < 1 && problem instanceof CallProblem && transientStatuses.has(problem.status),
        staleTime: 10_000,
      },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}
