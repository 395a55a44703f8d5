import { type Action, actionSchema } from '@portal/contract/actions';
import type { Role, RoleGrant } from '../config.ts';
import { actionLabels } from './action-labels.ts';

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
  'dashboards.change': 'maintainer',
  'audit.view': 'admin',
  'doctor.view': 'admin',
  'sessions.end': 'admin',
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
  /**
   * The teams that everything concerned belongs to. Grants for certain teams apply only if they
   * name one of these; 'any' asks whether the action is allowed for at least one team.
   */
  readonly teams?: readonly string[] | 'any';
}

export type Decision = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/** Decides by role. A user has the highest role that any matching grant gives. */
export function decide(grants: readonly RoleGrant[], request: PermissionRequest): Decision {
  const { action, environment, teams = [] } = request;
  const rank = findRank(grants, request);
  const minRole = requiredRole[action];
  if (rank >= ranks.indexOf(minRole)) return { allowed: true };
  const sufficientRoles = ranks.slice(ranks.indexOf(minRole)).join(' or ');
  const role = ranks[rank];
  const where = teams === 'any' || teams.length === 0 ? environment : `${environment} for ${teams.join(', ')}`;
  const reason = `You need the role ${sufficientRoles} to ${actionLabels[action]} in ${where}; you have ${role ? `the role ${role}` : 'no role'}.`;
  return { allowed: false, reason };
}

/** Whether the user is an administrator who is not limited to certain teams. */
export function isAdministrator(
  grants: readonly RoleGrant[] | undefined,
  user: Pick<PermissionRequest, 'username' | 'environment'>,
): boolean {
  return grants !== undefined && findRank(grants, user) === ranks.indexOf('admin');
}

/** Returns the reason for each action that is not allowed for any team. */
export function listRefusals(
  grants: readonly RoleGrant[],
  user: Pick<PermissionRequest, 'username' | 'environment'>,
): Partial<Record<Action, string>> {
  const refusals: Partial<Record<Action, string>> = {};
  for (const action of actionSchema.options) {
    const decision = decide(grants, { ...user, action, teams: 'any' });
    if (!decision.allowed) refusals[action] = decision.reason;
  }
  return refusals;
}

function findRank(
  grants: readonly RoleGrant[],
  { username, environment, teams = [] }: Omit<PermissionRequest, 'action'>,
): number {
  const appliesToTeam = (granted: readonly string[]) => teams === 'any' || teams.some((team) => granted.includes(team));
  return Math.max(
    -1,
    ...grants
      .filter(({ users }) => users === 'everyone' || users.includes(username))
      .filter(({ environments }) => environments === undefined || environments.includes(environment))
      .filter((grant) => grant.teams === undefined || appliesToTeam(grant.teams))
      .map(({ role }) => ranks.indexOf(role)),
  );
}
