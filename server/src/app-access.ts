import type { App } from '@portal/contract/apps';
import { NotFound } from '@portal/kit/problems';
import type { Caller } from './session/caller.ts';

/**
 * The app with this id, if the platform lists it for the caller. Throws NotFound otherwise, in the same words for an
 * app that does not exist and one that is none of the caller's.
 */
export async function requireApp(caller: Caller, appId: string): Promise<App> {
  const { byId } = await caller.apps();
  const app = byId.get(appId);
  if (!app) throw new NotFound(`There is no app ${appId} among yours in ${caller.environment.name}.`);
  return app;
}
