import * as contract from '@portal/contract/apps';
import { Invalid } from '@portal/kit/problems';
import type { Dependencies } from '../../dependencies.ts';
import { reportSkipped } from '../../http/report-skipped.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { wantsFresh } from '../../http/wants-fresh.ts';
import { readEnvironmentClaim } from '../../session/environment-claim.ts';
import { signIn } from './sign-in.ts';

/**
 * Serves `apps`, which is two calls in one, as specified: sign-in with credentials, or the list of
 * the session's apps without them. The list may be some seconds old unless the caller sends
 * `cache-control: no-cache`, as browsers do for `fetch(…, { cache: 'reload' })`.
 */
export function signInRoutes(dependencies: Dependencies): RoutesOf<typeof contract> {
  const { callers, permissions } = dependencies;
  return {
    getApps: route(
      contract.getApps,
      async ({ input, request, reply }) => {
        if (input.credentials) {
          if (readEnvironmentClaim(request.query) ?? readEnvironmentClaim(request.body)?.name)
            throw new Invalid('A sign-in names its environment by the field baseUrl of its body only.');
          const { entries, skipped } = await signIn(dependencies, input.credentials, input, request, reply);
          reportSkipped(reply, skipped);
          return entries;
        }
        const caller = await callers.require(request);
        callers.checkEnvironment(caller, request.query);
        callers.checkEnvironment(caller, request.body);
        await permissions.require(caller, 'apps.view');
        const { apps, skipped, problem } = await caller.apps({ fresh: wantsFresh(request), forReading: true });
        reportSkipped(reply, skipped);
        if (problem !== undefined)
          reply.header(contract.lastKnownAppsHeader, encodeURIComponent(problem.slice(0, 500)));
        return [...apps];
      },
      { namesEnvironment: true },
    ),
  };
}
