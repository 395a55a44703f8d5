import { type Action, actionSchema } from '@portal/contract/actions';
import type { App } from '@portal/contract/apps';
import { readOnlyReason } from '@portal/contract/session';
import { Refused } from '@portal/kit/problems';
import type { AuditTrail, Resource } from '../audit/audit-trail.ts';
import type { Config } from '../config.ts';
import type { Caller } from '../session/caller.ts';
import type { ChangeRights } from './change-rights.ts';
import { type DerivedSubject, findDerivedRefusal, judgedByPlatform, listChanges } from './derived-policy.ts';
import { decide, isAdministrator, isReading, listRefusals, needsCurrentRight } from './policy.ts';

/** What an action concerns. */
export interface PermissionSubject {
  /** Named in the audit trail. */
  readonly resource?: Resource | undefined;
  readonly apps?: readonly App[] | undefined;
  /** The team that owns the target. */
  readonly team?: string | undefined;
  /** The user who owns the target; null if the owner is unknown. */
  readonly owner?: string | null | undefined;
  /** Whether the call changes something. Who may view may change what is their own. */
  readonly isChange?: boolean;
}

const readOnlyRefusals: Partial<Record<Action, string>> = Object.fromEntries(
  actionSchema.options.filter((action) => !isReading(action)).map((action) => [action, readOnlyReason]),
);

const ownSessionsOnly = 'You can end your own sessions only, because no roles are configured.';

export interface PermissionsOptions extends Pick<Config, 'roles' | 'teams'> {
  readonly rights: ChangeRights;
  readonly audit: AuditTrail;
}

/**
 * Enforces the access policy and audits refusals; no other code decides about permissions. Roles
 * decide where they are configured, otherwise what the platform lets the caller change.
 */
export class Permissions {
  readonly #options: PermissionsOptions;

  constructor(options: PermissionsOptions) {
    this.#options = options;
  }

  /**
   * Throws Refused, with the reason, when the caller may not perform the action, TrailUnavailable
   * when a change could not be recorded, and Unreachable for a change while the platform is
   * unavailable. Without roles, the platform itself judges what it does with the caller's
   * credentials.
   */
  async require(caller: Caller, action: Action, about: PermissionSubject = {}): Promise<void> {
    const isJudgedLater = !caller.isReadOnly && !this.hasRoles && judgedByPlatform.has(action);
    const reason = isJudgedLater ? null : await this.findRefusal(caller, action, about);
    if (reason === null) {
      if (about.isChange || !isReading(action)) this.#options.audit.requireRoom();
      if (about.isChange || needsCurrentRight(action)) await caller.apps();
      return;
    }
    const description = this.hasRoles ? 'Refused by role' : 'Refused by rights on the platform';
    await this.#refuse(caller, reason, { action, resource: about.resource, description });
  }

  /**
   * Throws Refused if the caller's session is read-only: it does nothing that is recorded. Other
   * changes of such a session are refused with `require`.
   */
  async requireWritable(caller: Caller, action: string, resource: Resource | undefined): Promise<void> {
    if (!caller.isReadOnly) return;
    await this.#refuse(caller, readOnlyReason, { action, resource, description: 'Refused to a read-only session' });
  }

  /** Returns why the caller may not perform the action; null if they may. */
  async findRefusal(caller: Caller, action: Action, about: PermissionSubject): Promise<string | null> {
    if (caller.isReadOnly && (about.isChange || !isReading(action))) return readOnlyReason;
    const { roles, teams } = this.#options;
    const ownerRefusal = this.#findOwnerRefusal(caller, about);
    if (!roles) return ownerRefusal ?? findDerivedRefusal(this.#options, caller, action, about);
    const user = { username: caller.username, environment: caller.environment.name };
    const decision = decide(roles, { ...user, action, teams: findTeams(teams, about) });
    return decision.allowed ? ownerRefusal : decision.reason;
  }

  /** Returns those of the teams that the caller may read, which is no attempt to see the others. */
  async filterTeams<T extends { readonly team: string }>(
    caller: Caller,
    action: Action,
    ofTeams: readonly T[],
  ): Promise<T[]> {
    const visible: T[] = [];
    for (const one of ofTeams)
      if ((await this.findRefusal(caller, action, { team: one.team })) === null) visible.push(one);
    return visible;
  }

  /** Whether roles are configured. */
  get hasRoles(): boolean {
    return this.#options.roles !== undefined;
  }

  /**
   * Returns the reason for each action the caller may not perform on anything, for display on the
   * page.
   */
  getRefusals({
    username,
    environment,
    isReadOnly,
  }: Pick<Caller, 'username' | 'environment'> & Partial<Pick<Caller, 'isReadOnly'>>): Partial<Record<Action, string>> {
    const { roles } = this.#options;
    const refusals = roles
      ? listRefusals(roles, { username, environment: environment.name })
      : { 'sessions.end': ownSessionsOnly };
    return isReadOnly ? { ...readOnlyRefusals, ...refusals } : refusals;
  }

  /** Returns the reason for each change the caller may not make to the subject. */
  async listRefusals(caller: Caller, about: DerivedSubject): Promise<Partial<Record<Action, string>>> {
    const refusals: Partial<Record<Action, string>> = {};
    for (const action of listChanges(about)) {
      const reason = await this.findRefusal(caller, action, about);
      if (reason !== null) refusals[action] = reason;
    }
    return refusals;
  }

  async #refuse(
    caller: Caller,
    reason: string,
    { resource, ...entry }: { action: string; resource: Resource | undefined; description: string },
  ): Promise<never> {
    await this.#options.audit.write(caller, {
      ...entry,
      ...(resource !== undefined && { resource }),
      outcome: 'refused',
      reason,
    });
    throw new Refused(reason);
  }

  #findOwnerRefusal(caller: Caller, { owner, resource }: PermissionSubject): string | null {
    if (owner === undefined || owner === caller.username) return null;
    const user = { username: caller.username, environment: caller.environment.name };
    if (isAdministrator(this.#options.roles, user)) return null;
    const who = owner === null ? 'Its owner is not known' : `It belongs to ${owner}`;
    return `You cannot change ${resource?.id ?? ''}. ${who}; only the owner and administrators can change it.`;
  }
}

/** Returns the teams that everything concerned belongs to. */
function findTeams(teams: Config['teams'], { team, apps = [] }: PermissionSubject): string[] {
  if (team !== undefined) return [team];
  if (apps.length === 0) return [];
  return teams
    .filter(({ apps: ofTeam }) => apps.every((app) => ofTeam.includes(app.schemaName)))
    .map(({ name }) => name);
}
