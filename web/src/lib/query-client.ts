import { QueryClient } from '@tanstack/react-query';
import { CallProblem } from './call-problem.ts';

/** Worth a second try at once: the portal or something before it was away for a moment. */
const passing: ReadonlySet<number> = new Set([0, 503]);

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // The page asks even where the browser thinks it is offline: a portal on this machine is still there.
        networkMode: 'always',
        retry: (failures, problem) => failures < 1 && problem instanceof CallProblem && passing.has(problem.status),
        staleTime: 10_000,
      },
      mutations: { networkMode: 'always' },
    },
  });
}
