import { type Action, actionSchema } from '@portal/contract/actions';
import type { Role, RoleGrant } from '../config.ts';

/** Roles in ascending order; each includes the permissions of those before it. */
const ranks: readonly Role[] = ['viewer', 'operator', 'maintainer', 'admin'];

/** The minimum role for each action. */
const requiredRole: Readonly<Record<Action, Role>> = {
  'apps.view': 'viewer',
  'logs.view': 'viewer',
  'config.view': 'viewer',
  'config.change': 'maintainer',
  'functions.view': 'viewer',
  'functions.toggle': 'operator',
  'statistics.view': 'viewer',
  'statistics.reset': 'operator',
  'schema-access.view': 'viewer',
  'schema-access.grant': 'maintainer',
  'deployments.view': 'viewer',
  'deployments.change': 'maintainer',
  'roster.view': 'viewer',
  'roster.reveal': 'operator',
  'roster.change': 'maintainer',
  'sync.view': 'viewer',
  'sync.change': 'maintainer',
  'sync.reveal': 'admin',
  'audit.view': 'admin',
  'doctor.view': 'admin',
  'sessions.end': 'admin',
};

const actionLabels: Readonly<Record<Action, string>> = {
  'apps.view': 'view apps',
  'logs.view': 'view logs',
  'config.view': 'view app configuration',
  'config.change': 'change apps',
  'functions.view': 'view scheduled functions',
  'functions.toggle': 'toggle scheduled functions',
  'statistics.view': 'view statistics',
  'statistics.reset': 'reset statistics',
  'schema-access.view': 'view schema access',
  'schema-access.grant': 'grant schema access',
  'deployments.view': 'view deployments',
  'deployments.change': 'change deployments',
  'roster.view': 'view the support roster',
  'roster.reveal': 'reveal phone numbers',
  'roster.change': 'change the support roster',
  'sync.view': 'view sync integrations',
  'sync.change': 'change sync integrations',
  'sync.reveal': 'reveal sync passwords',
  'audit.view': 'view the audit trail',
  'doctor.view': 'examine the platform and the data sources',
  'sessions.end': 'end the sessions of other users',
};

/** Returns whether the action only shows what is there. Revealing a secret is more than that. */
export function isReading(action: Action): boolean {
  return action.endsWith('.view');
}

/** What is needed most while something is broken, so it works while the platform is unavailable. */
const possibleInOutage: ReadonlySet<Action> = new Set(['roster.reveal', 'sessions.end']);

/** Returns whether the platform must confirm the caller's right now, and not some minutes ago. */
export function needsCurrentRight(action: Action): boolean {
  return !isReading(action) && !possibleInOutage.has(action);
}

export interface PermissionRequest {
  readonly username: string;
  readonly action: Action;
  readonly environment: string;
}

export type Decision = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/**
 * Decides whether a user may perform an action; no other code makes this decision. Without
 * configured roles every signed-in user may do everything, as specified, except for ending the
 * sessions of others. With roles, a user has the highest role that any matching grant gives.
 */
export function decide(grants: readonly RoleGrant[] | undefined, request: PermissionRequest): Decision {
  if (grants === undefined) {
    if (request.action !== 'sessions.end') return { allowed: true };
    return { allowed: false, reason: 'You can end your own sessions only, because no roles are configured.' };
  }
  const { username, action, environment } = request;
  const rank = Math.max(
    -1,
    ...grants
      .filter(({ users }) => users === 'everyone' || users.includes(username))
      .filter(({ environments }) => environments === undefined || environments.includes(environment))
      .map(({ role }) => ranks.indexOf(role)),
  );
  const minRole = requiredRole[action];
  if (rank >= ranks.indexOf(minRole)) return { allowed: true };
  const sufficientRoles = ranks.slice(ranks.indexOf(minRole)).join(' or ');
  const role = ranks[rank];
  const reason = `You need the role ${sufficientRoles} to ${actionLabels[action]} in ${environment}; you have ${role ? `the role ${role}` : 'no role'}.`;
  return { allowed: false, reason };
}

/** Returns the reason for each action that is not allowed. */
export function listRefusals(
  grants: readonly RoleGrant[] | undefined,
  user: Pick<PermissionRequest, 'username' | 'environment'>,
): Partial<Record<Action, string>> {
  const refusals: Partial<Record<Action, string>> = {};
  for (const action of actionSchema.options) {
    const decision = decide(grants, { ...user, action });
    if (!decision.allowed) refusals[action] = decision.reason;
  }
  return refusals;
}
