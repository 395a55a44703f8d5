import * as contract from '@portal/contract/attention';
import type { Dependencies } from '../../dependencies.ts';
import { FreshCache } from '../../fresh-cache.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { wantsFresh } from '../../http/wants-fresh.ts';
import type { Caller } from '../../session/caller.ts';
import type { AttentionSource, Looked } from './attention-source.ts';
import { failingFunctions } from './failing-functions.ts';
import { readAttention } from './read-attention.ts';
import { stoppedApps } from './stopped-apps.ts';

const limits = { withinMs: 4_000, graceMs: 500 };

/** `others`: what further features know of. */
export function attentionRoutes(
  { permissions, appDatabases, freshness, logger }: Dependencies,
  others: readonly AttentionSource[],
): RoutesOf<typeof contract> {
  const all = [...others, failingFunctions(appDatabases), stoppedApps];
  const kept = new FreshCache<Looked>({ ttlMs: freshness.attentionMs });
  const look = (caller: Caller) => {
    const refusals = permissions.refusalsOf(caller);
    const sources = all.filter(({ action }) => refusals[action] === undefined);
    return readAttention(caller, { sources, logger, ...limits });
  };
  return {
    getAttention: route(contract.getAttention, async ({ caller, request }) => {
      const { sessionId } = caller;
      const looked =
        sessionId === null
          ? await look(caller)
          : await kept.get(sessionId, () => look(caller), { fresh: wantsFresh(request) });
      return { items: [...looked.items], problems: [...looked.problems] };
    }),
  };
}
