import type { Action } from '@portal/contract/actions';
import { canReachDeployments } from '@portal/contract/environments';
import { Refused } from '@portal/kit/problems';

/** Throws Refused if the environment does not have what the action is about. */
export function requireAvailable({ name }: { readonly name: string }, action: Action): void {
  if (action.startsWith('deployments.') && !canReachDeployments(name))
    throw new Refused(`Deployments are available in Production only; you are signed in to ${name}.`);
}
