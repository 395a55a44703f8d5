import type { App } from '@portal/contract/apps';
import type { Action } from '@portal/contract/session';
import { requireApp } from '../../access/app-access.ts';
import { type AuditRecord, toOutcome } from '../../audit/audit-trail.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';

export interface AuditedAction<Result> extends Pick<AuditRecord, 'action' | 'description'> {
  readonly permission: Action;
  /** Reads the previous state; called after the permission check. */
  readonly before?: (app: App) => Promise<unknown>;
  readonly run: (app: App) => Promise<Result>;
  /** Returns the part of the result to audit; never a secret. */
  readonly after?: (result: Result) => unknown;
}

/** Runs an action on the integration of one of the caller's apps and audits the outcome. */
export async function runAudited<Result>(
  { permissions, audit }: Pick<Dependencies, 'permissions' | 'audit'>,
  caller: Caller,
  appId: string,
  { permission, action, description, before, run, after }: AuditedAction<Result>,
): Promise<Result> {
  await permissions.require(caller, permission, { resource: appId });
  const app = await requireApp(caller, appId, permission);
  const auditEntry = { action, description, resource: app.id, resourceName: app.name };
  let previous: unknown;
  try {
    previous = await before?.(app);
    const result = await run(app);
    await audit.write(caller, { ...auditEntry, before: previous, after: after?.(result), outcome: 'done' });
    return result;
  } catch (error) {
    await audit.write(caller, { ...auditEntry, before: previous, ...toOutcome(error) });
    throw error;
  }
}
