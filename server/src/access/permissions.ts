import type { Action } from '@portal/contract/actions';
import type { App } from '@portal/contract/apps';
import { Refused } from '@portal/kit/problems';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { RoleGrant } from '../config.ts';
import type { Caller } from '../session/caller.ts';
import { decide, isReading, listRefusals, needsCurrentRight } from './policy.ts';

/** What an action concerns. */
export interface PermissionSubject {
  /** Named in the audit trail, such as an app id. */
  readonly resource?: string | undefined;
  readonly apps?: readonly App[];
  /** The team that owns the target. */
  readonly team?: string | undefined;
}

/** Enforces the access policy and audits refusals. */
export class Permissions {
  readonly #grants: readonly RoleGrant[] | undefined;
  readonly #audit: AuditTrail;

  constructor(grants: readonly RoleGrant[] | undefined, audit: AuditTrail) {
    this.#grants = grants;
    this.#audit = audit;
  }

  /**
   * Throws Refused, with the reason, when the caller may not perform the action, TrailUnavailable
   * when a change could not be recorded, and Unreachable for a change while the platform is
   * unavailable.
   */
  async require(caller: Caller, action: Action, { resource }: PermissionSubject = {}): Promise<void> {
    const { username, environment } = caller;
    const decision = decide(this.#grants, { username, action, environment: environment.name });
    if (decision.allowed) {
      if (!isReading(action)) this.#audit.requireRoom();
      if (needsCurrentRight(action)) await caller.apps();
      return;
    }
    const { reason } = decision;
    await this.#audit.write(caller, {
      action,
      ...(resource !== undefined && { resource }),
      description: 'Refused by role',
      outcome: 'refused',
      reason,
    });
    throw new Refused(reason);
  }

  /** Returns the reason for each action the caller may not perform, for display on the page. */
  getRefusals({ username, environment }: Pick<Caller, 'username' | 'environment'>): Partial<Record<Action, string>> {
    return listRefusals(this.#grants, { username, environment: environment.name });
  }
}
