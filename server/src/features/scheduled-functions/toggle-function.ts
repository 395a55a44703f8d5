import type { FunctionState } from '@portal/contract/scheduled-functions';
import { requireApp } from '../../access/app-access.ts';
import { toOutcome } from '../../audit/audit-trail.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';

/**
 * Sets the state of a scheduled function, audits it, and returns the platform's text. Concurrent
 * changes are ignored: the function ends up in the requested state.
 *
 * @param name 'unit:event'
 */
export async function toggleFunction(
  { permissions, audit }: Pick<Dependencies, 'permissions' | 'audit'>,
  caller: Caller,
  appId: string,
  name: string,
  state: FunctionState,
): Promise<string> {
  await permissions.require(caller, 'functions.toggle', appId);
  const app = await requireApp(caller, appId, 'functions.toggle');
  const as = { credentials: caller.credentials(), appId: app.id };
  const auditEntry = {
    action: 'functions.toggle',
    resource: app.id,
    resourceName: app.name,
    description: `Scheduled function ${name} ${state.toLowerCase()}`,
    after: { [name]: state },
  } as const;
  let before: Record<string, FunctionState> = {};
  try {
    const events = await caller.environment.helium.listScheduledEvents(as);
    const event = events.find((candidate) => `${candidate.unit}:${candidate.event}` === name);
    if (event) before = { [name]: event.state };
    const text = await caller.environment.helium.toggleScheduledEvent({ ...as, scheduledEvent: name, state });
    await audit.write(caller, { ...auditEntry, before, outcome: 'done' });
    return text;
  } catch (error) {
    await audit.write(caller, { ...auditEntry, before, ...toOutcome(error) });
    throw error;
  }
}
