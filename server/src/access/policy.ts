import { type Action, actionSchema } from '@portal/contract/session';
import type { Role, RoleGrant } from '../config.ts';

/** Roles by what they may, each all that the ones before it may. */
const ranks: readonly Role[] = ['viewer', 'operator', 'maintainer', 'admin'];

/** The least role each action needs. */
const needed: Readonly<Record<Action, Role>> = {
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
};

const inWords: Readonly<Record<Action, string>> = {
  'apps.view': 'see apps',
  'logs.view': 'see logs',
  'config.view': 'see the configuration of apps',
  'config.change': 'change apps',
  'functions.view': 'see scheduled functions',
  'functions.toggle': 'switch scheduled functions',
  'statistics.view': 'see statistics',
  'statistics.reset': 'reset statistics',
  'schema-access.view': 'see schema access',
  'schema-access.grant': 'grant schema access',
  'deployments.view': 'see deployments',
  'deployments.change': 'change deployments',
  'roster.view': 'see the support roster',
  'roster.reveal': 'see telephone numbers',
  'roster.change': 'change the support roster',
  'sync.view': 'see sync integrations',
  'sync.change': 'change sync integrations',
  'sync.reveal': 'see sync passwords',
  'audit.view': 'see the audit trail',
};

export interface Question {
  readonly username: string;
  readonly action: Action;
  /** What it would be done to, such as an app id; no role depends on it yet. */
  readonly resource: string | null;
  readonly environment: string;
}

export type Decision = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/**
 * Who may do what: the one place where it is decided. Without configured roles everybody who is
 * signed in may do everything, as specified; with roles, those a grant names, in the highest role
 * any grant gives them.
 */
export function decide(grants: readonly RoleGrant[] | undefined, question: Question): Decision {
  if (grants === undefined) return { allowed: true };
  const { username, action, environment } = question;
  const rank = Math.max(
    -1,
    ...grants
      .filter(({ users }) => users === 'everyone' || users.includes(username))
      .filter(({ environments }) => environments === undefined || environments.includes(environment))
      .map(({ role }) => ranks.indexOf(role)),
  );
  const least = needed[action];
  if (rank >= ranks.indexOf(least)) return { allowed: true };
  const needs = ranks.slice(ranks.indexOf(least)).join(' or ');
  const has = ranks[rank];
  const reason = `To ${inWords[action]} in ${environment} the role ${needs} is needed; you have ${has ? `the role ${has}` : 'none'}.`;
  return { allowed: false, reason };
}

/** Per action that is not allowed, why. */
export function refusalsFor(
  grants: readonly RoleGrant[] | undefined,
  who: Pick<Question, 'username' | 'environment'>,
): Partial<Record<Action, string>> {
  const refusals: Partial<Record<Action, string>> = {};
  for (const action of actionSchema.options) {
    const decision = decide(grants, { ...who, action, resource: null });
    if (!decision.allowed) refusals[action] = decision.reason;
  }
  return refusals;
}
