import { MutationCache, QueryClient } from '@tanstack/react-query';
import { CallProblem } from './call-problem.ts';
import { invalidateAfter } from './use-call.ts';

/** Statuses worth one immediate retry: the portal or a proxy was briefly unavailable. */
const transientStatuses: ReadonlySet<number> = new Set([0, 503]);
/** How often a call is repeated while the portal is busy. */
const maxBusyRetries = 2;
const retryMs = 1_000;

function isWorthRetrying(failures: number, problem: Error): boolean {
  if (!(problem instanceof CallProblem)) return false;
  if (problem.kind === 'busy') return failures < maxBusyRetries;
  return failures < 1 && transientStatuses.has(problem.status);
}

/**
 * A busy portal says when to repeat the call. The random part keeps pages from returning at once.
 */
function getRetryDelayMs(_failures: number, problem: Error): number {
  const requested = problem instanceof CallProblem ? problem.retryAfterMs : undefined;
  return requested === undefined ? retryMs : requested * (1 + Math.random() / 2);
}

const maxReloadMs = 10_000;

/** Waits until the work is done, or until the time is over. */
function withinMs(ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    mutationCache: new MutationCache({
      // Awaited, so that a change stays pending until the page shows its effect, whether it
      // succeeded or not.
      // Not for long, because reading it again may hang as the change did.
      onSettled: (_data, _problem, _variables, _result, { meta }) =>
        meta && withinMs(maxReloadMs, invalidateAfter(client, meta.changes)),
    }),
    defaultOptions: {
      queries: {
        // Sends requests even when the browser reports being offline: a portal on this machine is
        // still reachable.
        networkMode: 'always',
        retry: isWorthRetrying,
        retryDelay: getRetryDelayMs,
        staleTime: 10_000,
      },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}
