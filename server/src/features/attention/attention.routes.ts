import * as contract from '@portal/contract/attention';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import type { AttentionSource } from './attention-source.ts';
import { failingFunctions } from './failing-functions.ts';
import { readAttention } from './read-attention.ts';
import { stoppedApps } from './stopped-apps.ts';
import { withCurrentApps } from './with-current-apps.ts';

const limits = { timeoutMs: 4_000, graceMs: 500 };

/** Serves attention items; `others` are the sources that other features provide. */
export function attentionRoutes(
  { permissions, appChecks, appDatabases, logger }: Dependencies,
  others: readonly AttentionSource[],
): RoutesOf<typeof contract> {
  const all = [...others, failingFunctions(appChecks, appDatabases), stoppedApps(appChecks)];
  return {
    getAttention: route(contract.getAttention, ({ caller, signal, reply }) => {
      const refusals = permissions.getRefusals(caller);
      const sources = all.filter(({ action }) => refusals[action] === undefined);
      const current = withCurrentApps(caller, signal, Date.now() - reply.elapsedTime);
      return readAttention(current, { sources, logger, signal, ...limits });
    }),
  };
}
