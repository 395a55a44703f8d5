import { type AppState, appStateSchema, type getAppStates } from '@portal/contract/attention';
import type { ResponseOf } from '@portal/contract/endpoint';
import type { Caller } from '../../session/caller.ts';
import { findItems, type ReadAttentionOptions } from './read-attention.ts';

const maxProblems = 5;

/**
 * Returns the apps that are disabled, locked, failing or no longer synced, from the sources of the
 * home page.
 */
export async function readAppStates(
  caller: Caller,
  options: ReadAttentionOptions,
): Promise<ResponseOf<typeof getAppStates>> {
  const { items, problems, checks } = await findItems(caller, options);
  const statesByApp = new Map<string, Set<AppState>>();
  for (const { appId, kind } of items) {
    const state = appStateSchema.safeParse(kind);
    if (appId === undefined || !state.success) continue;
    const states = statesByApp.get(appId) ?? new Set();
    statesByApp.set(appId, states.add(state.data));
  }
  return {
    apps: [...statesByApp].map(([appId, states]) => ({ appId, states: [...states] })),
    problems: problems.slice(0, maxProblems),
    pending: checks.missing + checks.outdated,
  };
}
