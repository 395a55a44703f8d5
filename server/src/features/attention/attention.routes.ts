import type { Action } from '@portal/contract/actions';
import * as contract from '@portal/contract/attention';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import type { Caller } from '../../session/caller.ts';
import { readAppStates } from './app-states.ts';
import type { AttentionSource } from './attention-source.ts';
import { failingFunctions } from './failing-functions.ts';
import { readAttention } from './read-attention.ts';
import { stoppedApps } from './stopped-apps.ts';
import { withCurrentApps } from './with-current-apps.ts';

/** The actions of the sources with the state of an app. */
const stateActions: ReadonlySet<Action> = new Set(['config.view', 'functions.view', 'sync.view']);

const limits = { timeoutMs: 4_000, graceMs: 500 };

/** Serves attention items; `others` are the sources that other features provide. */
export function attentionRoutes(
  { permissions, appChecks, appDatabases, logger }: Dependencies,
  others: readonly AttentionSource[],
): RoutesOf<typeof contract> {
  const all = [...others, failingFunctions(appChecks, appDatabases), stoppedApps(appChecks)];
  const findAllowed = (caller: Caller) => {
    const refusals = permissions.getRefusals(caller);
    return all.filter(({ action }) => refusals[action] === undefined);
  };
  return {
    getAttention: route(contract.getAttention, ({ caller, signal, reply }) => {
      const current = withCurrentApps(caller, signal, Date.now() - reply.elapsedTime);
      return readAttention(current, { sources: findAllowed(caller), logger, signal, ...limits });
    }),

    getAppStates: route(contract.getAppStates, ({ caller, signal }) => {
      const sources = findAllowed(caller).filter(({ action }) => stateActions.has(action));
      return readAppStates(caller, { sources, logger, signal, ...limits });
    }),

    getFunctionNames: route(contract.getFunctionNames, async ({ caller, signal }) => {
      const { apps } = await caller.apps({ forReading: true, signal });
      const schemas = apps.map(({ schemaName }) => schemaName);
      const found = await appChecks.readFunctionNames(caller, schemas);
      // A second data source with the same schema is ignored.
      const inOrder = appDatabases
        .all(caller.environment)
        .flatMap(({ name }) => found.filter(({ source }) => source === name));
      return apps.flatMap(({ id, schemaName }) => {
        const names = inOrder.find((each) => each.schemaName === schemaName)?.names;
        return names ? [{ appId: id, names: [...names] }] : [];
      });
    }),
  };
}
