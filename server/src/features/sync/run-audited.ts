import type { App } from '@portal/contract/apps';
import type { Action } from '@portal/contract/session';
import { requireApp } from '../../access/app-access.ts';
import { type AuditRecord, toOutcome } from '../../audit/audit-trail.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';

export interface AuditedAction<Result> extends Pick<AuditRecord, 'action' | 'description'> {
  readonly permission: Action;
  /** What is so before; asked for once the caller is known to be allowed. */
  readonly before?: (app: App) => Promise<unknown>;
  readonly run: (app: App) => Promise<Result>;
  /** Of what came out, what the trail keeps; never a secret. */
  readonly after?: (result: Result) => unknown;
}

/**
 * Does something to the integration of one of the caller's apps, and writes it down however it
 * ends.
 */
export async function runAudited<Result>(
  { permissions, audit }: Pick<Dependencies, 'permissions' | 'audit'>,
  caller: Caller,
  appId: string,
  { permission, action, description, before, run, after }: AuditedAction<Result>,
): Promise<Result> {
  await permissions.require(caller, permission, appId);
  const app = await requireApp(caller, appId);
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
