import * as contract from '@portal/contract/attention';
import type { Dependencies } from '../../dependencies.ts';
import { ExpiringCache } from '../../expiring-cache.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { wantsFresh } from '../../http/wants-fresh.ts';
import type { Caller } from '../../session/caller.ts';
import type { AttentionResult, AttentionSource } from './attention-source.ts';
import { failingFunctions } from './failing-functions.ts';
import { readAttention } from './read-attention.ts';
import { stoppedApps } from './stopped-apps.ts';

const limits = { timeoutMs: 4_000, graceMs: 500 };

/** Serves attention items; `others` are the sources that other features provide. */
export function attentionRoutes(
  { permissions, appDatabases, freshness, logger }: Dependencies,
  others: readonly AttentionSource[],
): RoutesOf<typeof contract> {
  const all = [...others, failingFunctions(appDatabases), stoppedApps()];
  const cache = new ExpiringCache<AttentionResult>({ ttlMs: freshness.attentionMs });
  const read = (caller: Caller, signal: AbortSignal) => {
    const refusals = permissions.getRefusals(caller);
    const sources = all.filter(({ action }) => refusals[action] === undefined);
    return readAttention(caller, { sources, logger, signal, ...limits });
  };
  return {
    getAttention: route(contract.getAttention, async ({ caller, request, signal }) => {
      const { sessionId } = caller;
      const result =
        sessionId === null
          ? await read(caller, signal)
          : await cache.get(sessionId, (signal) => read(caller, signal), { fresh: wantsFresh(request), signal });
      return { items: [...result.items], problems: [...result.problems] };
    }),
  };
}
